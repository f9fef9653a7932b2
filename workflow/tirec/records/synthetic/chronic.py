"""Prior diagnoses and home medications, as small typed tables."""

from typing import NamedTuple


class Chronic(NamedTuple):
    """A prior diagnosis: codes without dots, CCS category and how common it is among the chronically ill."""

    icd10: str
    icd9: str
    description: str
    ccs: float
    group: str
    weight: float


class HomeMedication(NamedTuple):
    """A home medication with its class."""

    med_id: int
    ndc: str
    name: str
    generic: str
    med_class: str
    subclass: str
    weight: float


CHRONIC: tuple[Chronic, ...] = (
    Chronic("I10", "4019", "Essential (primary) hypertension", 98.0, "Essential hypertension", 10),
    Chronic("E785", "2724", "Hyperlipidemia, unspecified", 53.0, "Disorders of lipid metabolism", 9),
    Chronic(
        "E119",
        "25000",
        "Type 2 diabetes mellitus without complications",
        49.0,
        "Diabetes mellitus without complication",
        6,
    ),
    Chronic(
        "E1122",
        "25040",
        "Type 2 diabetes mellitus with diabetic chronic kidney disease",
        50.0,
        "Diabetes mellitus with complications",
        3,
    ),
    Chronic(
        "I2510",
        "41401",
        "Atherosclerotic heart disease of native coronary artery",
        101.0,
        "Coronary atherosclerosis",
        5,
    ),
    Chronic("I509", "4280", "Heart failure, unspecified", 108.0, "Congestive heart failure; nonhypertensive", 4),
    Chronic("I4891", "42731", "Unspecified atrial fibrillation", 106.0, "Cardiac dysrhythmias", 4),
    Chronic("Z950", "V4501", "Presence of cardiac pacemaker", 105.0, "Conduction disorders", 1),
    Chronic("I639", "43491", "Cerebral infarction, unspecified", 109.0, "Acute cerebrovascular disease", 2),
    Chronic("N189", "5859", "Chronic kidney disease, unspecified", 158.0, "Chronic kidney disease", 5),
    Chronic(
        "J449",
        "496",
        "Chronic obstructive pulmonary disease, unspecified",
        127.0,
        "Chronic obstructive pulmonary disease",
        4,
    ),
    Chronic("J45909", "49390", "Unspecified asthma, uncomplicated", 128.0, "Asthma", 5),
    Chronic("G473", "78057", "Sleep apnea", 259.0, "Residual codes; unclassified", 4),
    Chronic("K219", "53081", "Gastro-esophageal reflux disease without esophagitis", 138.0, "Esophageal disorders", 6),
    Chronic("K746", "5715", "Cirrhosis of liver", 151.0, "Other liver diseases", 2),
    Chronic("C509", "1749", "Malignant neoplasm of breast", 24.0, "Cancer of breast", 2),
    Chronic("C189", "1539", "Malignant neoplasm of colon", 14.0, "Cancer of colon", 1),
    Chronic("C9000", "20300", "Multiple myeloma not having achieved remission", 40.0, "Multiple myeloma", 1),
    Chronic("D649", "2859", "Anemia, unspecified", 59.0, "Deficiency and other anemia", 5),
    Chronic("E039", "2449", "Hypothyroidism, unspecified", 48.0, "Thyroid disorders", 4),
    Chronic("F329", "311", "Major depressive disorder, single episode", 657.0, "Mood disorders", 5),
    Chronic("F419", "30000", "Anxiety disorder, unspecified", 651.0, "Anxiety disorders", 5),
    Chronic("F1020", "30390", "Alcohol dependence, uncomplicated", 660.0, "Alcohol-related disorders", 2),
    Chronic("G40909", "34590", "Epilepsy, unspecified", 83.0, "Epilepsy; convulsions", 2),
    Chronic("G43909", "34690", "Migraine, unspecified", 84.0, "Headache; including migraine", 3),
    Chronic(
        "M545", "7242", "Low back pain", 205.0, "Spondylosis; intervertebral disc disorders; other back problems", 5
    ),
    Chronic("M1990", "71590", "Unspecified osteoarthritis", 203.0, "Osteoarthritis", 4),
    Chronic("M810", "73301", "Age-related osteoporosis", 206.0, "Osteoporosis", 3),
    Chronic("E669", "27800", "Obesity, unspecified", 58.0, "Other nutritional; endocrine; and metabolic disorders", 4),
    Chronic("Z940", "V420", "Kidney transplant status", 158.0, "Chronic kidney disease", 1),
    Chronic("R0902", "79902", "Hypoxemia", 133.0, "Other lower respiratory disease", 2),
    Chronic("N400", "60000", "Benign prostatic hyperplasia", 164.0, "Hyperplasia of prostate", 2),
)

HOME_MEDICATIONS: tuple[HomeMedication, ...] = (
    HomeMedication(
        14113,
        "69618-066-10",
        "ASPIRIN 81 MG PO TBEC",
        "aspirin 81 mg tablet,delayed release",
        "ANALGESICS",
        "Salicylates",
        6,
    ),
    HomeMedication(
        23188,
        "00093-7663-98",
        "ATORVASTATIN 40 MG PO TABS",
        "atorvastatin 40 mg tablet",
        "CARDIOVASCULAR",
        "Statins",
        7,
    ),
    HomeMedication(
        4562,
        "00093-1045-01",
        "LISINOPRIL 10 MG PO TABS",
        "lisinopril 10 mg tablet",
        "CARDIOVASCULAR",
        "ACE inhibitors",
        6,
    ),
    HomeMedication(
        9234,
        "00093-0733-01",
        "METOPROLOL TARTRATE 25 MG PO TABS",
        "metoprolol tartrate 25 mg tablet",
        "CARDIOVASCULAR",
        "Beta blockers",
        5,
    ),
    HomeMedication(
        2318, "00378-0208-01", "FUROSEMIDE 40 MG PO TABS", "furosemide 40 mg tablet", "DIURETICS", "Loop diuretics", 3
    ),
    HomeMedication(
        33541, "00003-0894-21", "APIXABAN 5 MG PO TABS", "apixaban 5 mg tablet", "BLOOD", "Anticoagulants", 3
    ),
    HomeMedication(
        8021, "00093-1048-01", "METFORMIN 500 MG PO TABS", "metformin 500 mg tablet", "HORMONES", "Biguanides", 5
    ),
    HomeMedication(
        50012,
        "00088-2220-33",
        "INSULIN GLARGINE 100 UNIT/ML SC SOLN",
        "insulin glargine 100 unit/mL",
        "HORMONES",
        "Insulins",
        3,
    ),
    HomeMedication(
        6612,
        "00074-4552-11",
        "LEVOTHYROXINE 50 MCG PO TABS",
        "levothyroxine 50 mcg tablet",
        "HORMONES",
        "Thyroid hormones",
        4,
    ),
    HomeMedication(
        2091, "00591-5442-10", "PREDNISONE 20 MG PO TABS", "prednisone 20 mg tablet", "HORMONES", "Corticosteroids", 2
    ),
    HomeMedication(
        19012,
        "00173-0682-20",
        "ALBUTEROL SULFATE HFA 90 MCG/ACTUATION INH HFAA",
        "albuterol sulfate HFA",
        "RESPIRATORY",
        "Beta agonists",
        4,
    ),
    HomeMedication(
        27712,
        "00173-0696-00",
        "FLUTICASONE-SALMETEROL 250-50 MCG INH DSDV",
        "fluticasone-salmeterol",
        "RESPIRATORY",
        "Inhaled corticosteroids",
        2,
    ),
    HomeMedication(
        15554,
        "00186-5020-31",
        "OMEPRAZOLE 20 MG PO CPDR",
        "omeprazole 20 mg capsule",
        "GASTROINTESTINAL",
        "Proton pump inhibitors",
        5,
    ),
    HomeMedication(
        30991, "00378-6410-01", "SERTRALINE 50 MG PO TABS", "sertraline 50 mg tablet", "CNS DRUGS", "Antidepressants", 4
    ),
    HomeMedication(
        5126,
        "00093-0314-01",
        "GABAPENTIN 300 MG PO CAPS",
        "gabapentin 300 mg capsule",
        "CNS DRUGS",
        "Anticonvulsants",
        4,
    ),
    HomeMedication(
        5178, "00406-0512-01", "OXYCODONE 5 MG PO TABS", "oxycodone 5 mg tablet", "ANALGESICS", "Opioids", 3
    ),
    HomeMedication(
        40011,
        "00904-5824-60",
        "CHOLECALCIFEROL 25 MCG PO TABS",
        "cholecalciferol (vitamin D3)",
        "VITAMINS",
        "VITAMIN D PREPARATIONS",
        5,
    ),
    HomeMedication(
        44120,
        "00069-1085-30",
        "TACROLIMUS 1 MG PO CAPS",
        "tacrolimus 1 mg capsule",
        "IMMUNOSUPPRESSANTS",
        "Calcineurin inhibitors",
        1,
    ),
)

PRESCRIBED: tuple[HomeMedication, ...] = (
    HomeMedication(
        101483,
        "00904-6730-60",
        "ACETAMINOPHEN 500 MG PO TABS",
        "acetaminophen 500 mg tablet",
        "ANALGESICS",
        "Non-salicylates",
        4,
    ),
    HomeMedication(
        3843, "00904-5854-60", "IBUPROFEN 600 MG PO TABS", "ibuprofen 600 mg tablet", "ANALGESICS", "NSAIDs", 4
    ),
    HomeMedication(
        27697,
        "00378-7732-93",
        "ONDANSETRON 4 MG PO TBDP",
        "ondansetron 4 mg tablet",
        "GASTROINTESTINAL",
        "Antiemetics",
        3,
    ),
    HomeMedication(
        1577,
        "00093-3145-01",
        "CEPHALEXIN 500 MG PO CAPS",
        "cephalexin 500 mg capsule",
        "ANTIINFECTIVES",
        "Cephalosporins",
        3,
    ),
)
"""What leaves the department with a discharged patient."""
