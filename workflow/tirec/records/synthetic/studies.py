"""Imaging studies and the sentences of their reports, as small typed tables."""

from typing import NamedTuple


class Study(NamedTuple):
    """One imaging study; minutes from order to report; `added` is what is reconstructed when something is found."""

    region: str
    name: str
    code: str
    share: float
    minutes: float
    added: str


STUDIES: tuple[Study, ...] = (
    Study("chest", "XR CHEST 1 VIEW", "IMG36", 6, 32, "XR CHEST ADDITIONAL VIEWS"),
    Study("chest", "CT CHEST PULMONARY ANGIOGRAM W IV CONTRAST", "IMG2081", 2, 70, "CT 3D RECONSTRUCTION CHEST"),
    Study("abdomen", "CT ABDOMEN PELVIS W IV CONTRAST", "IMG794", 5, 75, "CT 3D RECONSTRUCTION ABDOMEN"),
    Study("abdomen", "US ABDOMEN RIGHT UPPER QUADRANT", "IMG544", 3, 50, "US ABDOMEN ADDITIONAL VIEWS"),
    Study("head", "CT HEAD WO IV CONTRAST", "IMG181", 6, 45, "CT 3D RECONSTRUCTION HEAD"),
    Study("head", "MR BRAIN WO IV CONTRAST", "IMG270", 1, 110, "MR ADDITIONAL SEQUENCES BRAIN"),
    Study("spine", "XR LUMBAR SPINE 2-3 VIEWS", "IMG91", 5, 35, "XR SPINE ADDITIONAL VIEWS"),
    Study("spine", "CT CERVICAL SPINE WO IV CONTRAST", "IMG205", 3, 55, "CT 3D RECONSTRUCTION SPINE"),
    Study("limb", "XR ANKLE 3+ VIEWS RIGHT", "IMG120", 4, 30, "XR ANKLE ADDITIONAL VIEWS"),
    Study("limb", "XR HIP 2 VIEWS WITH PELVIS", "IMG118", 3, 32, "XR PELVIS ADDITIONAL VIEWS"),
    Study("limb", "US VENOUS LOWER EXTREMITY RIGHT", "IMG560", 2, 55, "US VENOUS ADDITIONAL VIEWS"),
)
NORMAL = {
    "chest": ("No acute cardiopulmonary disease.", "Lungs are clear, no effusion or pneumothorax."),
    "abdomen": ("No acute abdominal or pelvic abnormality.", "No evidence of obstruction, normal appendix."),
    "head": ("No acute intracranial hemorrhage or mass effect.", "Normal examination of the brain."),
    "spine": ("No acute fracture or malalignment.", "Normal alignment of the spine."),
    "limb": ("No acute fracture or dislocation.", "No evidence of deep venous thrombosis or fracture."),
}
MINOR = {
    "chest": ("Patchy opacities at the left base.", "Small left pleural effusion."),
    "abdomen": ("Mild colitis of the sigmoid colon.", "Nonobstructing renal calculus."),
    "head": ("Small scalp hematoma, normal brain.",),
    "spine": ("Mild compression fracture of L1.",),
    "limb": ("Small joint effusion with soft tissue swelling.", "Nondisplaced avulsion fracture."),
}
ACUTE = {
    "chest": (
        "Acute right lower lobe pneumonia with pleural effusion.",
        "Acute pulmonary embolism in the left lower lobe artery.",
        "Acute pulmonary edema.",
    ),
    "abdomen": (
        "Acute appendicitis with perforation.",
        "Acute small bowel obstruction with transition point.",
        "Acute cholecystitis.",
    ),
    "head": ("Acute subdural hemorrhage with midline shift.", "Acute infarct in the left MCA territory."),
    "spine": ("Acute burst fracture of L1.", "Acute displaced fracture of C6."),
    "limb": ("Acute displaced fracture.", "Acute occlusive deep venous thrombosis."),
}
FURTHER = ("Stable chronic findings, otherwise unchanged.", "Discussed with the ED team at the time of report.", "")
"""Second sentences, which say nothing new."""
