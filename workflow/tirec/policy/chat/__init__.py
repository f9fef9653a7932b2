"""Chat models behind any OpenAI-compatible endpoint, played through the one state machine of episodes."""
