"""A made-up emergency department that writes MC-MED's own format, from a causal story with known causes."""

from tirec.records.synthetic.outcomes import PLANTED
from tirec.records.synthetic.write import MARKER, generate

__all__ = ["MARKER", "PLANTED", "generate"]
