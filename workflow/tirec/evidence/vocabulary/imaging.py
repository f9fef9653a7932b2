"""Imaging studies: body region and modality by name, and a conservative reading of impressions.

Written for this project from general knowledge. The reading only flags a sentence that names an acute finding and
says neither that it is absent, nor old, nor merely possible; it is a feature, not a diagnosis.
"""

import re
from functools import lru_cache

REGIONS = {
    "head": "head",
    "neck_spine": "neck or spine",
    "chest": "chest",
    "abdomen": "abdomen or pelvis",
    "limb": "limb",
    "other": "other region",
}
_REGION_PATTERNS = (
    ("head", r"HEAD|BRAIN|FACE|FACIAL|ORBIT|SINUS|MAXILLO|CRANI|SKULL|STROKE|CEREBR"),
    ("neck_spine", r"NECK|SPINE|CERVICAL|THORACIC SP|LUMBAR|SACR|CAROTID"),
    ("chest", r"CHEST|THORA|LUNG|RIB|PULMON|CARDIAC|HEART|ECHO|CORONARY|AORT|STERN|TTE"),
    ("abdomen", r"ABD|PELVI|RENAL|KUB|GALLBLADDER|LIVER|RUQ|APPEND|SCROT|TESTIC|OB |TRANSVAG|BLADDER|BOWEL|KIDNEY"),
    ("limb", r"HAND|WRIST|ELBOW|SHOULDER|HUMER|FOREARM|FINGER|HIP|FEMUR|KNEE|TIBIA|ANKLE|FOOT|TOE|EXTREM|LEG|ARM|CLAVIC"
             r"|VENOUS"),
)  # fmt: skip
MODALITIES = {"ct": "CT", "mri": "MRI", "ultrasound": "ultrasound", "xray": "X-ray", "other": "other imaging"}
_MODALITY_PATTERNS = (
    ("mri", r"\bMRI?\b|\bMRA\b|MAGNETIC"),
    ("ct", r"\bCTA?\b|COMPUTED"),
    ("ultrasound", r"\bUS\b|ULTRASO|DOPPLER|DUPLEX|SONO|ECHO|\bTTE\b|POCUS"),
    ("xray", r"\bXR\b|X-?RAY|RADIOGRAPH|\bCXR\b|VIEWS?\b"),
)
_REGIONS = tuple((key, re.compile(pattern)) for key, pattern in _REGION_PATTERNS)
_MODALITIES = tuple((key, re.compile(pattern)) for key, pattern in _MODALITY_PATTERNS)


@lru_cache(maxsize=20_000)
def region(study: str | None) -> str:
    """The body region a study's name tells; `other` where it tells none."""
    upper = f"{study or ''} ".upper()
    return next((key for key, pattern in _REGIONS if pattern.search(upper)), "other")


@lru_cache(maxsize=20_000)
def modality(study: str | None) -> str:
    """The modality a study's name tells; `other` where it tells none."""
    upper = (study or "").upper()
    return next((key for key, pattern in _MODALITIES if pattern.search(upper)), "other")


_FINDING = re.compile(
    r"hemorrhag\w*|haemorrhag\w*|hematoma|infarct\w*|ischemi\w*|large vessel occlusion|occlu(?:sion|ded)|thromb\w+"
    r"|emboli\w*|embolus|dissection|aneurysm|pneumothorax|hemothorax|pneumonia|consolidat\w+|opacit(?:y|ies)|infiltrate"
    r"|pulmonary edema|edema|vascular congestion|effusions?|fractur\w+|dislocat\w+|obstruct\w+|perforat\w+|free air"
    r"|pneumoperitoneum|appendicitis|cholecystitis|diverticulitis|pancreatitis|colitis|pyelonephritis|hydronephrosis"
    r"|abscess\w*|volvulus|torsion|ectopic|midline shift|herniation|mass effect|osteomyelitis|foreign body"
    r"|calcul(?:us|i)|stones?|laceration|rupture\w*",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"\b(?:no|not|without|negative for|absence of|absent|free of|exclud\w+|rul\w+ out|rather than|none|neither|nor"
    r"|resolv\w+|cleared|unremarkable|unlikely|less likely|low suspicion|insufficient)\b",
    re.IGNORECASE,
)
_OLD_OR_UNSURE = re.compile(
    r"\b(?:chronic|old|remote|prior|previous\w*|healed|healing|stable|unchanged|similar|residual|sequela\w*|history of"
    r"|status post|s/p|known|degenerative|possib\w+|may (?:represent|reflect|be)|could (?:represent|reflect|be)"
    r"|cannot be excluded|questionable|if clinically|recommend\w*|consider|evaluate for|concern for|limited)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.;!?])\s+|\s+(?=\d{1,2}[.)]\s)")
_CLAUSES = re.compile(r",?\s+(?:but|however|although|except)\s+", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def acute_findings(impression: str | None) -> tuple[str, ...]:
    """The acute findings an impression affirms, in its own words, lower case, each once."""
    found: dict[str, None] = {}
    for sentence in _SENTENCES.split(impression or ""):
        # "No fracture, effusion or dislocation": a negation holds to the end of its clause.
        for clause in _CLAUSES.split(sentence):
            found |= dict.fromkeys(_affirmed(clause))
    return tuple(found)


def _affirmed(clause: str) -> list[str]:
    if _OLD_OR_UNSURE.search(clause):
        return []
    absent = _ABSENT.search(clause)
    return [
        match.group().lower()
        for match in _FINDING.finditer(clause)
        if not absent or (match.end() < absent.start() and not _negated_after(clause, match.end()))
    ]


def _negated_after(clause: str, end: int) -> bool:
    """Whether what follows a finding takes it back: "pneumothorax is not seen"."""
    return bool(re.match(r"\s+(?:is|are|was|were|has|have)?\s*(?:been\s+)?(?:not|absent|resolved|excluded|unlikely)",
                         clause[end:], re.IGNORECASE))  # fmt: skip
