"""How the demo's base reads: a few words that say where it hurts, counted alike wherever they stand.

This is all that it is taught of medicine. It cannot read an image's report, does not know which test shows what, what a
test costs, or how often each condition occurs; and it states any confidence.
"""

from collections.abc import Iterable

from tirec.config.lacdm import CONDITIONS

CUES: dict[str, tuple[str, ...]] = {
    "appendicitis": ("RLQ",),
    "cholecystitis": ("RUQ",),
    "diverticulitis": ("LLQ",),
    "pancreatitis": ("Epigastric", "epigastric"),
}
"""Words by the condition whose organ they locate."""
WORDS = (
    *("yo", "M", "F", "one", "two", "three", "four", "five", "days", "day", "of", "with", "and", "the", "to", "from"),
    *("pain", "abdominal", "nausea", "vomiting", "tender", "soft", "guarding", "no", "all", "acute", "abnormality"),
    *("seen", "wall", "thickening", "stones", "fat", "stranding", "fluid", "sign", "LOW", "NORMAL", "HIGH"),
    *("appendix", "gallbladder", "Sigmoid", "sigmoid", "diverticula", "pancreas", "Distended", "Dilated", "Enlarged"),
    *("not", "available", "more", "enough", "suspect", "need", "unknown", "confidence", "condition", "test"),
)
"""Words that a history, a result or a turn may hold, known before any case exists."""


def hits(texts: Iterable[str]) -> dict[str, int]:
    """Condition -> number of texts that hold one of its words."""
    read = list(texts)
    return {name: sum(any(word in text for word in CUES[name]) for text in read) for name in CONDITIONS}
