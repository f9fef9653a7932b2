"""MIMIC-CDM as typed tables: the official folder, the framework's pickles, and what MIMIC-IV adds to them."""
