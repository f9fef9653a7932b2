"""The tree teacher and its reference sets."""
