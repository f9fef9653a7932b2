"""What a reader should know of MIMIC-CDM before believing a number: counts, availability, and every known leak."""
