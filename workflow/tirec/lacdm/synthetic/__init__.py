"""A made-up MIMIC-CDM folder in the exact format of the official one, with the planted truth beside it."""

from tirec.lacdm.synthetic.write import generate

__all__ = ["generate"]
