"""Who is predicted, when, and the label."""
