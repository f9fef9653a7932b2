"""tirec: language-model agents that look things up in an emergency-department record before they predict."""
