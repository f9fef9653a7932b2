"""Hospital tables in, eight typed tables out."""
