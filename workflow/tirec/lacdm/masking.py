"""Disease names in texts: the data set's mask, and masking all four."""

import re
from collections.abc import Iterable, Mapping

from tirec.config.lacdm import CONDITIONS, Condition

MASK = "____"
"""Four underscores stand for a masked disease; MIMIC's own blanks are three."""
TERMS: Mapping[Condition, tuple[str, ...]] = {
    "appendicitis": ("acute appendicitis", "appendicitis", "appendectomy"),
    "cholecystitis": ("acute cholecystitis", "cholecystitis", "cholecystostomy"),
    "diverticulitis": ("acute diverticulitis", "diverticulitis"),
    "pancreatitis": ("acute pancreatitis", "pancreatitis", "pancreatectomy"),
}
"""What the data set masks in the examination and reports of a case of each condition, longest first."""
_MASKED = re.compile(r"(?<!_)_{4}(?!_)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def names(text: str, conditions: Iterable[Condition] = CONDITIONS) -> tuple[Condition, ...]:
    """The conditions that a text names by one of their terms."""
    low = text.lower()
    return tuple(condition for condition in conditions if any(term in low for term in TERMS[condition]))


def mask_all(text: str) -> str:
    """The text with the terms of all four conditions masked."""
    return _ANY.sub(MASK, text)


def has_mask(text: str) -> bool:
    """Whether a disease name has been masked in the text."""
    return _MASKED.search(text) is not None


def drop_masked(text: str) -> str:
    """The text without the sentences that hold a mask, on one line per paragraph left."""
    kept = (sentence.strip() for sentence in _SENTENCE.split(text) if not has_mask(sentence))
    return " ".join(sentence for sentence in kept if sentence)


_ANY = re.compile("|".join(term for terms in TERMS.values() for term in terms), re.IGNORECASE)
