"""Imaging reports in sections, with the disease names masked the way the data set masks them: only the case's own."""

import random
import re
from collections.abc import Iterator

from tirec.lacdm.masking import MASK, TERMS
from tirec.lacdm.synthetic.conditions import TYPICAL_IN_NONE
from tirec.lacdm.synthetic.story import Story, Study

EXAMS = {
    ("CT", "Abdomen"): "CT ABD & PELVIS WITH CONTRAST",
    ("CT", "Head"): "CT HEAD W/O CONTRAST",
    ("Ultrasound", "Abdomen"): "LIVER OR GALLBLADDER US (SINGLE ORGAN)",
    ("Radiograph", "Chest"): "CHEST (PA & LAT)",
    ("Radiograph", "Abdomen"): "ABDOMEN (SUPINE & ERECT)",
    ("MRI", "Abdomen"): "MRI ABDOMEN W/O & W/CONTRAST",
    ("MRCP", "Abdomen"): "MRCP (MR ABD W/O CONTRAST)",
    ("ERCP", "Abdomen"): "ERCP BILIARY&PANCREAS BY GI UNIT",
    ("Drainage", "Abdomen"): "GUIDANCE FOR DRAINAGE",
}
NORMAL = {
    "Abdomen": (
        *("Liver and spleen are unremarkable.", "Kidneys enhance symmetrically.", "No free air."),
        *("The aorta is of normal caliber.", "No bowel obstruction.", "The bladder is normal."),
    ),
    "Chest": ("Heart size is normal.", "No effusion.", "No pneumothorax.", "No focal consolidation."),
    "Head": ("No hemorrhage.", "Ventricles are of normal size."),
}
LATER = "with interval change after treatment"


def report_rows(story: Story) -> Iterator[tuple[int, str, str, str, str, str]]:
    """(hadm_id, note_id, modality, region, exam_name, text) of one admission."""
    for number, study in enumerate(story.studies, start=1):
        yield (
            story.hadm_id,
            note_id(story, number),
            study.modality,
            study.region,
            EXAMS[study.modality, study.region],
            (_text(random.Random(f"report {story.hadm_id} {number}"), story, study)),
        )


def note_id(story: Story, number: int) -> str:
    """The id of a report, as radiology notes of MIMIC-IV have it: numbered within a patient over all admissions."""
    return f"{story.subject_id}-RR-{20 * story.number + number}"


def _text(rng: random.Random, story: Story, study: Study) -> str:
    finding = story.profile.study_finding if study.shows else TYPICAL_IN_NONE
    if study.hours > 24:
        finding = f"{finding}, {LATER}"
    sentences = [finding + ".", *rng.sample(NORMAL[study.region], 2)]
    if story.masked and study.region == "Abdomen":
        sentences.insert(1, f"Appearance is {'compatible with' if study.shows else 'equivocal for'} {story.condition}.")
    if story.names_other and study.region == "Abdomen":
        sentences.append(f"No evidence of {story.profile.names_other[0]}.")
    technique = (
        "" if study.modality == "Ultrasound" else "TECHNIQUE:\nStandard protocol.\n\nDOSE:\nTotal DLP = 540 mGy-cm.\n\n"
    )
    found = _masked(" ".join(sentences), story)
    return f"EXAMINATION:\n{EXAMS[study.modality, study.region]}\n\n{technique}FINDINGS:\n{found}\n\n"


def _masked(text: str, story: Story) -> str:
    return re.sub("|".join(TERMS[story.condition]), MASK, text, flags=re.IGNORECASE)
