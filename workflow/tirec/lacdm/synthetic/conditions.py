"""What the four conditions look like: where it hurts, what studies show, what the blood says, what was done."""

from collections.abc import Mapping
from dataclasses import dataclass

from tirec.config.lacdm import Condition


@dataclass(frozen=True)
class Profile:
    """One condition as it appears in the record; shares of availability and lengths are those of the real data set."""

    admissions: int
    site: str
    complaint: str
    study_finding: str
    median_age: float
    female: float
    ct: float
    ultrasound: float
    radiograph: float
    mri: float
    microbiology: float
    history_chars: int
    masked: float
    """Share of cases with its own name masked in a report."""
    names_other: tuple[str, float]
    """Another disease that its reports mention, and in which share of cases."""
    shown: Mapping[str, float]
    """How far each modality can show the cause; multiplied by `imaging_tells`."""
    high: tuple[int, ...]
    """Laboratory items that are raised where the blood shows the pattern."""
    discharge: str
    treated: tuple[str, float, str]
    """Its usual operation, the share that has it, and the ICD-10 code of that."""


PROFILES: Mapping[Condition, Profile] = {
    "appendicitis": Profile(
        admissions=957,
        site="RLQ",
        complaint="pain that moved from the umbilicus to the RLQ",
        study_finding="Dilated appendix with surrounding fat stranding",
        median_age=36,
        female=0.47,
        ct=0.938,
        ultrasound=0.235,
        radiograph=0.181,
        mri=0.021,
        microbiology=0.768,
        history_chars=603,
        masked=0.42,
        names_other=("diverticulitis", 0.06),
        shown={"CT": 1.0, "Ultrasound": 0.4, "MRI": 0.8},
        high=(51301, 51256, 50889),
        discharge="Acute appendicitis",
        treated=("Laparoscopic appendectomy", 0.839, "0DTJ4ZZ"),
    ),
    "cholecystitis": Profile(
        admissions=648,
        site="RUQ",
        complaint="RUQ pain after fatty meals",
        study_finding="Distended gallbladder with stones and wall thickening",
        median_age=58,
        female=0.55,
        ct=0.420,
        ultrasound=0.872,
        radiograph=0.497,
        mri=0.015,
        microbiology=0.775,
        history_chars=884,
        masked=0.27,
        names_other=("diverticulitis", 0.110),
        shown={"CT": 0.5, "Ultrasound": 1.0, "MRI": 0.9, "MRCP": 0.9},
        high=(51301, 50885, 50863, 50861),
        discharge="Acute cholecystitis",
        treated=("Laparoscopic cholecystectomy", 0.711, "0FT44ZZ"),
    ),
    "diverticulitis": Profile(
        admissions=257,
        site="LLQ",
        complaint="LLQ pain with constipation",
        study_finding="Sigmoid wall thickening with diverticula and fat stranding",
        median_age=60,
        female=0.55,
        ct=0.914,
        ultrasound=0.191,
        radiograph=0.498,
        mri=0.012,
        microbiology=0.887,
        history_chars=1_060,
        masked=0.51,
        names_other=("appendicitis", 0.08),
        shown={"CT": 1.0, "Ultrasound": 0.1, "MRI": 0.8},
        high=(51301, 51256, 50889),
        discharge="Acute sigmoid diverticulitis",
        treated=("Percutaneous drainage of abscess", 0.12, "0W9G30Z"),
    ),
    "pancreatitis": Profile(
        admissions=538,
        site="Epigastric",
        complaint="epigastric pain through to the back",
        study_finding="Enlarged pancreas with peripancreatic fluid",
        median_age=52,
        female=0.48,
        ct=0.511,
        ultrasound=0.729,
        radiograph=0.591,
        mri=0.043,
        microbiology=0.727,
        history_chars=1_540,
        masked=0.34,
        names_other=("cholecystitis", 0.151),
        shown={"CT": 0.8, "Ultrasound": 0.3, "MRI": 0.9, "MRCP": 0.9},
        high=(50956, 50867, 50931),
        discharge="Acute pancreatitis",
        treated=("Endoscopic retrograde cholangiopancreatography", 0.15, "0FC98ZZ"),
    ),
}
TYPICAL_IN_NONE = "No acute abnormality seen"
"""What a study says that does not show the cause."""
