"""Why people come: complaints, visit diagnoses and what each condition usually gets, as one typed table."""

from typing import NamedTuple


class Diagnosis(NamedTuple):
    """A visit diagnosis in both code systems, with dots as in visits.csv."""

    icd9: str
    icd10: str
    name: str


class Condition(NamedTuple):
    """One reason for a visit; `tilt` says how much commoner it is in sicker patients (log odds per unit)."""

    name: str
    weight: float
    tilt: float
    complaints: tuple[str, ...]
    diagnoses: tuple[Diagnosis, ...]
    region: str
    service: str


CONDITIONS: tuple[Condition, ...] = (
    Condition(
        "chest_pain",
        13,
        0.15,
        ("CHEST PAIN", "CHEST TIGHTNESS", "PALPITATIONS"),
        (
            Diagnosis("786.50", "R07.9", "Chest pain, unspecified type"),
            Diagnosis("785.1", "R00.2", "Palpitations"),
            Diagnosis("410.71", "I21.4", "NSTEMI (non-ST elevated myocardial infarction) (CMS-HCC)"),
        ),
        "chest",
        "Cardiology",
    ),
    Condition(
        "dyspnea",
        10,
        0.3,
        ("SHORTNESS OF BREATH", "COUGH", "WHEEZING"),
        (
            Diagnosis("786.05", "R06.02", "Shortness of breath"),
            Diagnosis("491.21", "J44.1", "COPD exacerbation (CMS-HCC)"),
            Diagnosis("486", "J18.9", "Pneumonia of right lower lobe due to infectious organism"),
        ),
        "chest",
        "Medicine",
    ),
    Condition(
        "abdominal_pain",
        16,
        0.05,
        ("ABDOMINAL PAIN", "VOMITING", "FLANK PAIN", "DIARRHEA"),
        (
            Diagnosis("789.00", "R10.9", "Abdominal pain, unspecified abdominal location"),
            Diagnosis("787.01", "R11.2", "Nausea and vomiting, unspecified vomiting type"),
            Diagnosis("560.9", "K56.609", "Small bowel obstruction (CMS-HCC)"),
        ),
        "abdomen",
        "General Surgery",
    ),
    Condition(
        "infection",
        9,
        0.25,
        ("FEVER", "FEVER-9 WEEKS TO 74 YEARS", "CHILLS", "GENERALIZED BODY ACHES"),
        (
            Diagnosis("780.60", "R50.9", "Fever, unspecified fever cause"),
            Diagnosis("079.99", "B34.9", "Viral syndrome"),
            Diagnosis("038.9,995.91", "A41.9", "Sepsis, due to unspecified organism (CMS-HCC)"),
        ),
        "chest",
        "Medicine",
    ),
    Condition(
        "neurologic",
        8,
        0.3,
        ("NUMBNESS", "ALTERED MENTAL STATUS", "STROKE ALERT", "SEIZURE"),
        (
            Diagnosis("435.9", "G45.9", "TIA (transient ischemic attack)"),
            Diagnosis("780.97", "R41.82", "Altered mental status, unspecified altered mental status type"),
            Diagnosis("780.39", "R56.9", "Seizure (CMS-HCC)"),
        ),
        "head",
        "Neurology",
    ),
    Condition(
        "headache",
        6,
        -0.2,
        ("HEADACHE", "MIGRAINE"),
        (Diagnosis("784.0", "R51.9", "Acute nonintractable headache"), Diagnosis("346.90", "G43.909", "Migraine")),
        "head",
        "Neurology",
    ),
    Condition(
        "syncope",
        6,
        0.15,
        ("SYNCOPE", "DIZZINESS", "WEAKNESS-GENERALIZED"),
        (Diagnosis("780.2", "R55", "Syncope and collapse"), Diagnosis("780.4", "R42", "Dizziness")),
        "head",
        "Medicine",
    ),
    Condition(
        "injury",
        12,
        -0.2,
        ("FALL", "MOTOR VEHICLE CRASH", "ANKLE PAIN", "LACERATION", "HIP PAIN"),
        (
            Diagnosis("959.01", "S09.90XA", "Closed head injury, initial encounter"),
            Diagnosis("820.8", "S72.001A", "Closed fracture of right hip, initial encounter (CMS-HCC)"),
            Diagnosis("845.00", "S93.401A", "Sprain of right ankle, unspecified ligament, initial encounter"),
        ),
        "limb",
        "Trauma Surgery",
    ),
    Condition(
        "back_pain",
        6,
        -0.25,
        ("BACK PAIN", "NECK PAIN", "LEG PAIN"),
        (Diagnosis("724.2", "M54.50", "Acute low back pain"), Diagnosis("729.5", "M79.604", "Pain of right lower leg")),
        "spine",
        "Orthopaedics",
    ),
    Condition(
        "urinary",
        5,
        -0.05,
        ("DYSURIA", "HEMATURIA", "URINARY RETENTION"),
        (
            Diagnosis("599.0", "N39.0", "Urinary tract infection without hematuria"),
            Diagnosis("592.1", "N20.1", "Ureteral stone"),
        ),
        "abdomen",
        "Urology",
    ),
    Condition(
        "skin",
        4,
        -0.2,
        ("RASH", "CELLULITIS", "ABSCESS"),
        (Diagnosis("682.6", "L03.115", "Cellulitis of right lower extremity"), Diagnosis("782.1", "R21", "Rash")),
        "limb",
        "Medicine",
    ),
    Condition(
        "psychiatric",
        4,
        0.0,
        ("PSYCHIATRIC EVALUATION", "ANXIETY", "ALCOHOL INTOXICATION"),
        (
            Diagnosis("300.00", "F41.9", "Anxiety"),
            Diagnosis("305.00", "F10.920", "Alcoholic intoxication without complication"),
        ),
        "head",
        "Psychiatry",
    ),
    Condition(
        "minor",
        5,
        -0.4,
        ("SORE THROAT", "EYE PROBLEM", "EAR PAIN", "MEDICATION REFILL"),
        (
            Diagnosis("462", "J02.9", "Pharyngitis, unspecified etiology"),
            Diagnosis("372.30", "H10.9", "Conjunctivitis of right eye"),
        ),
        "chest",
        "Medicine",
    ),
)
SECOND_COMPLAINTS = ("NAUSEA", "WEAKNESS-GENERALIZED", "FATIGUE", "CHILLS", "DIZZINESS", "PAIN", "SWELLING", "COUGH")
"""Phrases that may follow the main complaint."""

ACUITIES = ("1-Resuscitation", "2-Emergent", "3-Urgent", "4-Semi-Urgent", "5-Non-Urgent")
RACES = {
    "White": 40.3,
    "Other": 33.9,
    "Asian": 16.5,
    "Black": 6.5,
    "Native Hawaiian or Other Pacific Islander": 1.4,
    "American Indian or Alaska Native": 0.4,
    "Declines to State": 0.5,
    "Unknown": 0.3,
    "": 0.2,
}
ETHNICITIES = {
    "Non-Hispanic/Non-Latino": 71.0,
    "Hispanic/Latino": 27.0,
    "Declines to State": 0.8,
    "Unknown": 0.8,
    "": 0.4,
}
HOME = "Home/Work (includes foster care)"
LEFT_UNSEEN = "ED Only - Left Without Being Seen"
ERRONEOUS = "ED Only - Erroneous Registration"
AGAINST_ADVICE = "Left Against Medical Advice"
EXPIRED = "Expired"
AFTER_DISCHARGE = {
    HOME: 95.0,
    "Acute Care Hospital": 1.5,
    "Jail/Court/Law Enforcement": 1.0,
    "Psychiatric Hospital": 1.5,
}
AFTER_ADMISSION = {
    HOME: 70.0,
    "Home Health Care Service": 13.0,
    "Skilled Nursing Facility": 11.0,
    "Rehab Facility": 2.5,
    "Hospice/Home": 1.5,
    EXPIRED: 2.0,
}
