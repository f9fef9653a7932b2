"""From episodes to a trained policy."""
