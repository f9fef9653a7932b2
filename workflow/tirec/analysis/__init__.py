"""Analyses of a finished study: does a conclusion hold up, and does anything leak."""
