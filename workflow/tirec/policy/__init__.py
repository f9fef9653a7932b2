"""What turns token ids, messages or features into a prediction."""
