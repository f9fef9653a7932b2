"""The protocol between an instance and a probability, without torch."""
