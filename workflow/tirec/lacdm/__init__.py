"""LA-CDM: a hypothesis agent and a decision agent that order priced tests before they name one of four conditions."""
