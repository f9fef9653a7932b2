"""What may be known by the cutoff."""
