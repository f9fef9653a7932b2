"""What is written down at discharge: diagnoses and procedures, which name the disease and are never shown."""

import random
from collections.abc import Iterator

from tirec.lacdm.synthetic.notes import PAST
from tirec.lacdm.synthetic.story import Story

ICD = {
    "appendicitis": "Unspecified acute appendicitis",
    "cholecystitis": "Acute cholecystitis",
    "diverticulitis": "Diverticulitis of large intestine without perforation or abscess without bleeding",
    "pancreatitis": "Acute pancreatitis without necrosis or infection, unspecified",
}


def discharge_diagnosis(story: Story) -> str:
    """The discharge diagnosis as free text; only about half of the pancreatitis ICD titles would give it away."""
    return f"{story.profile.discharge}\n"


def icd_titles(story: Story) -> Iterator[str]:
    """Titles of the coded diagnoses, the case's own among others."""
    rng = random.Random(f"codes {story.hadm_id}")
    vague = story.condition == "pancreatitis" and rng.random() < 0.47
    yield "Epigastric pain" if vague else ICD[story.condition]
    yield from (name.capitalize() for name in rng.sample(PAST, rng.randint(2, 10)))


def procedures(story: Story) -> Iterator[str]:
    """Procedures named in the discharge note."""
    if story.treated:
        yield story.profile.treated[0]


def icd_procedures(story: Story) -> Iterator[tuple[str, str, int]]:
    """(code, title, version) of the coded procedures; some admissions are old enough for version 9."""
    if story.treated:
        title, _, code = story.profile.treated
        yield ("4701", title, 9) if story.number % 3 == 0 else (code, title, 10)
