"""One made-up admission: who, which condition, which sources point at it, which studies were made and when."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from tirec.config.lacdm import CONDITIONS, CdmSyntheticConfig, Condition
from tirec.lacdm.synthetic.conditions import PROFILES, Profile

FIRST_HADM, FIRST_SUBJECT, IDS = 29_000_000, 19_000_000, 900_000
AGAIN = 0.003
"""Share of admissions that are a second one of the patient before."""
REPORTED_LATER = 0.17
"""Share with further studies after the first day: after an operation, or because things went badly."""


@dataclass(frozen=True)
class Study:
    """One imaging study: what was looked at, how many hours after admission, whether it shows the cause."""

    modality: str
    region: str
    hours: float
    shows: bool


@dataclass(frozen=True)
class Story:
    """Everything that is decided before a word is written."""

    number: int
    hadm_id: int
    subject_id: int
    condition: Condition
    age: int
    sex: str
    admitted: datetime
    history_tells: bool
    exam_tells: bool
    labs_tell: bool
    masked: bool
    names_other: bool
    treated: bool
    cultured: bool
    studies: tuple[Study, ...]

    @property
    def profile(self) -> Profile:
        """What its condition looks like."""
        return PROFILES[self.condition]


def stories(config: CdmSyntheticConfig) -> Iterator[Story]:
    """All admissions in file order; conditions in the real data set's proportions."""
    whole = random.Random(f"cdm {config.seed}")
    dealt = _dealt(whole, config.cases)
    hadms = whole.sample(range(FIRST_HADM, FIRST_HADM + IDS), config.cases)
    subjects = whole.sample(range(FIRST_SUBJECT, FIRST_SUBJECT + IDS), config.cases)
    last: Story | None = None
    for number, condition in enumerate(dealt):
        rng = random.Random(f"cdm {config.seed} story {number}")
        last = _story(rng, config, number, condition, hadms[number], subjects[number], last)
        yield last


def _dealt(rng: random.Random, cases: int) -> list[Condition]:
    """The conditions of all cases, shuffled; shares as real, rounded so that they add up."""
    total = sum(profile.admissions for profile in PROFILES.values())
    edges = [0]
    for name in CONDITIONS:
        edges.append(edges[-1] + PROFILES[name].admissions)
    counts = [round(cases * high / total) - round(cases * low / total) for low, high in pairwise(edges)]
    dealt = [name for name, count in zip(CONDITIONS, counts, strict=True) for _ in range(count)]
    rng.shuffle(dealt)
    return dealt


def _story(
    rng: random.Random,
    config: CdmSyntheticConfig,
    number: int,
    condition: Condition,
    hadm: int,
    subject: int,
    before: Story | None,
) -> Story:
    profile = PROFILES[condition]
    again = before is not None and rng.random() < AGAIN
    age = before.age if again and before else _age(rng, profile)
    sex = before.sex if again and before else ("F" if rng.random() < profile.female else "M")
    return Story(
        number=number,
        hadm_id=hadm,
        subject_id=before.subject_id if again and before else subject,
        condition=condition,
        age=age,
        sex=sex,
        admitted=_admitted(rng, before if again else None),
        history_tells=rng.random() < config.history_tells,
        exam_tells=rng.random() < config.exam_tells,
        labs_tell=rng.random() < config.labs_tell,
        masked=rng.random() < profile.masked,
        names_other=rng.random() < profile.names_other[1],
        treated=rng.random() < profile.treated[1],
        cultured=rng.random() < profile.microbiology,
        studies=tuple(_studies(rng, profile, config.imaging_tells)),
    )


def _age(rng: random.Random, profile: Profile) -> int:
    return int(min(91, max(18, rng.gauss(profile.median_age, 16))))


def _admitted(rng: random.Random, before: Story | None) -> datetime:
    if before:
        return before.admitted + timedelta(days=rng.randint(20, 200), minutes=rng.randint(0, 1439))
    return datetime(2110, 1, 1) + timedelta(minutes=rng.randint(0, 100 * 365 * 1440))


def _studies(rng: random.Random, profile: Profile, tells: float) -> Iterator[Study]:
    """The studies of one stay in file order; later ones repeat an earlier one or are an intervention."""
    made = list(_first_studies(rng, profile))
    if rng.random() < REPORTED_LATER:
        intervention = ("ERCP" if "MRCP" in profile.shown else "Drainage", "Abdomen")
        again = [*((modality, region) for modality, region, _ in made), intervention]
        made += [(*rng.choice(again), rng.uniform(26, 200)) for _ in range(rng.randint(1, 5))]
    for modality, region, hours in made:
        yield Study(modality, region, hours, rng.random() < tells * profile.shown.get(modality, 0.0))


def _first_studies(rng: random.Random, profile: Profile) -> Iterator[tuple[str, str, float]]:
    """(modality, region, hours) of what was looked at first; there is always a CT or an ultrasound of the abdomen."""
    ct = rng.random() < profile.ct
    if ct:
        yield "CT", "Abdomen", rng.uniform(1, 9)
    # ultrasound where there is no CT, so that both shares are as real
    if not ct or rng.random() < (profile.ultrasound - (1 - profile.ct)) / profile.ct:
        yield "Ultrasound", "Abdomen", rng.uniform(1, 10)
    if rng.random() < profile.radiograph:
        yield "Radiograph", "Chest" if rng.random() < 0.85 else "Abdomen", rng.uniform(0.5, 6)
    if rng.random() < profile.mri:
        yield "MRI", "Abdomen", rng.uniform(8, 40)
    if "MRCP" in profile.shown and rng.random() < 0.19:
        yield "MRCP", "Abdomen", rng.uniform(10, 60)
    if ct and rng.random() < 0.035:
        yield "CT", "Head", rng.uniform(1, 60)
