"""How the demo's base reads: a handful of words that point at an organ, counted alike wherever they stand.

This is all that it is taught of medicine. It does not know which test shows what, what a test costs, which words weigh
more, or how often each condition occurs; and it states any confidence.
"""

from collections.abc import Iterable

from tirec.config.lacdm import CONDITIONS

CUES: dict[str, tuple[str, ...]] = {
    "appendicitis": ("RLQ", "appendix"),
    "cholecystitis": ("RUQ", "gallbladder"),
    "diverticulitis": ("LLQ", "Sigmoid"),
    "pancreatitis": ("Epigastric", "epigastric", "pancreas"),
}
"""Words by the condition whose organ they name or locate."""
WORDS = (
    *("yo", "M", "F", "one", "two", "three", "four", "five", "days", "day", "of", "with", "and", "the", "to", "from"),
    *("pain", "abdominal", "nausea", "vomiting", "tender", "soft", "guarding", "no", "all", "acute", "abnormality"),
    *("seen", "wall", "thickening", "stones", "fat", "stranding", "fluid", "sign", "LOW", "NORMAL", "HIGH"),
    *("not", "available", "more", "enough", "suspect", "need", "unknown", "confidence", "condition", "test"),
)
"""Words that a history, a result or a turn may hold, known before any case exists."""


def hits(texts: Iterable[str]) -> dict[str, int]:
    """Condition -> number of texts that hold one of its words."""
    read = list(texts)
    return {name: sum(any(word in text for word in CUES[name]) for text in read) for name in CONDITIONS}
