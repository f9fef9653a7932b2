"""Histories and examinations: text as discharge notes have it, short sentences first."""

import random
from collections.abc import Iterator

from tirec.lacdm.synthetic.story import Story

VAGUE = ("diffuse abdominal pain", "generalized abdominal pain and nausea", "abdominal pain and vomiting")
COURSE = (
    "The pain is constant.",
    "The pain comes and goes.",
    "No fever or chills at home.",
    "Nausea without vomiting.",
    "One episode of vomiting.",
    "No change in bowel habits.",
    "Last meal was the evening before.",
    "Denies dysuria.",
    "Denies chest pain or shortness of breath.",
    "Took acetaminophen without relief.",
    "Similar but milder pain some months ago.",
)
PAST = (
    *("hypertension", "hyperlipidemia", "type 2 diabetes", "asthma", "hypothyroidism", "depression", "GERD", "obesity"),
    *(
        "coronary artery disease",
        "atrial fibrillation",
        "chronic kidney disease",
        "osteoarthritis",
        "migraine",
        "anemia",
    ),
)
OTHER_IN_HISTORY = {"appendicitis": 0.05, "cholecystitis": 0.02, "diverticulitis": 0.03, "pancreatitis": 0.05}
"""Share of histories that name each disease; never the case's own, whose admissions the data set leaves out."""


def history(story: Story) -> str:
    """A history on one line: complaint, course, what was before; as long as its condition's usually is."""
    rng = random.Random(f"history {story.hadm_id}")
    days = rng.choice(("one day", "two days", "three days"))
    complaint = story.profile.complaint if story.history_tells else rng.choice(VAGUE)
    sentences = [f"___ yo {story.sex} with {days} of {complaint}.", *rng.sample(COURSE, 3)]
    ending = _past(rng, story)
    aim = story.profile.history_chars * rng.lognormvariate(0, 0.45)
    while len(" ".join(sentences)) + len(ending) < aim:
        sentences.append(_filler(rng))
    return f" {' '.join(sentences)} {ending} "


def _past(rng: random.Random, story: Story) -> str:
    known = rng.sample(PAST, min(len(PAST), story.age // 20 + rng.randint(0, 2)))
    named = [
        f"prior {name}" for name, share in OTHER_IN_HISTORY.items() if name != story.condition and rng.random() < share
    ]
    before = ", ".join(known + named) or "none"
    return f"Past Medical History: {before} Social History: ___ Family History: non-contributory"


def _filler(rng: random.Random) -> str:
    return rng.choice(
        (
            f"Was seen at an outside hospital {rng.randint(2, 9)} months ago for an unrelated complaint.",
            f"Takes {rng.choice(PAST)} medication as prescribed.",
            f"Reports {rng.choice(('stable', 'decreased', 'good'))} appetite.",
            f"In the ED vitals were T {rng.uniform(97, 100.4):.1f} HR {rng.randint(68, 108)}.",
            "Review of systems is otherwise negative.",
            "Patient was given fluids and pain medication.",
        )
    )


def examination(story: Story) -> str:
    """An examination on one line, the abdomen after its own header."""
    rng = random.Random(f"examination {story.hadm_id}")
    site = f"{story.profile.site} tender" if story.exam_tells else rng.choice(("diffusely tender", "mildly tender"))
    pressure = f"BP {int(rng.gauss(128, 15))}/{int(rng.gauss(74, 9))}"
    breathing = f"RR {rng.choice((16, 18, 20))} {rng.choice((97, 98, 99))}% RA"
    vitals = f"T {rng.gauss(98.9, 0.8):.1f} HR {int(rng.gauss(86, 13))} {pressure} {breathing}"
    sign = " + ___ sign" if story.exam_tells and rng.random() < 0.3 else ""
    body = f"Gen: NAD CV: RRR Lungs: clear Abd: soft, {site},{sign} no guarding Ext: no edema"
    return (
        f" {vitals} {body} "
        if rng.random() > 0.02
        else f" {vitals} {body} WBC-{rng.gauss(11, 3):.1f} CT abdomen reviewed "
    )


def culture_rows(story: Story) -> Iterator[tuple[int, int, str, int]]:
    """(hadm_id, test, value, specimen) of the cultures that were taken."""
    if not story.cultured:
        return
    rng = random.Random(f"cultures {story.hadm_id}")
    yield story.hadm_id, 90039, rng.choice(("NO GROWTH.", "NO GROWTH.", "MIXED BACTERIAL FLORA.")), 70079
    if rng.random() < 0.5:
        yield story.hadm_id, 90201, "NO GROWTH.", 70012
    for test in range(90_300, 90_372):
        if rng.random() < 0.004:
            yield story.hadm_id, test, "NEGATIVE.", 70_020 + test % 38
