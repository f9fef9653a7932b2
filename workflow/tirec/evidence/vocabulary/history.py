"""Prior diagnoses and home medications in groups a clinician thinks in. Written for this project."""

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class DiagnosisGroup:
    """A group of diagnoses: ICD-10 code prefixes and ICD-9 ranges (three-digit, inclusive), codes without dots."""

    key: str
    label: str
    icd10: str
    icd9: tuple[tuple[int, int], ...] = ()


# The order is the order in which a text names them. A code belongs to the first match.
DIAGNOSES = (
    DiagnosisGroup("heart_failure", "heart failure", r"I50|I11|I13|I42|I43", ((428, 428), (425, 425))),
    DiagnosisGroup("ischemic_heart", "ischemic heart disease", r"I2[0-5]|Z951|Z955", ((410, 414),)),
    DiagnosisGroup("arrhythmia", "arrhythmia", r"I4[4-9]|Z950|R00", ((426, 427),)),
    DiagnosisGroup("thromboembolism", "thromboembolism", r"I26|I8[0-2]|Z867", ((415, 415), (451, 453))),
    DiagnosisGroup("stroke", "stroke", r"I6|G45|G46|Z8673", ((430, 438),)),
    DiagnosisGroup("vascular", "vascular disease", r"I7[0-9]|I3[4-7]", ((440, 448), (394, 397), (424, 424))),
    DiagnosisGroup("cancer", "cancer", r"C|D0|Z85", ((140, 209), (230, 234))),
    DiagnosisGroup("transplant", "transplant", r"Z94|T86"),
    DiagnosisGroup("kidney", "kidney disease", r"N1[7-9]|N0|Z992|Z49", ((580, 589),)),
    DiagnosisGroup("liver", "liver disease", r"K7|B1[5-9]|I85", ((570, 573), (70, 70))),
    DiagnosisGroup("lung", "chronic lung disease", r"J4[0-7]|J84|J96|G473|R0902|Z9981", ((490, 496), (515, 518))),
    DiagnosisGroup("diabetes", "diabetes", r"E0[89]|E1[0-3]", ((249, 250),)),
    DiagnosisGroup("hypertension", "hypertension", r"I1[0-6]", ((401, 405),)),
    DiagnosisGroup("lipid", "lipid disorder", r"E78", ((272, 272),)),
    DiagnosisGroup("sepsis", "sepsis", r"A4[01]|R65|R78", ((38, 38), (995, 995))),
    DiagnosisGroup("pneumonia", "pneumonia or influenza", r"J0[9]|J1[0-8]|U07|J69", ((480, 488),)),
    DiagnosisGroup("immune", "immune deficiency", r"B2[0-4]|D8", ((42, 44), (279, 279))),
    DiagnosisGroup("substance", "substance use", r"F1", ((303, 305), (291, 292))),
    DiagnosisGroup("psychosis", "psychosis or bipolar disorder", r"F2|F30|F31", ((295, 298),)),
    DiagnosisGroup("mood", "depression or anxiety", r"F3[2-9]|F4|R45", ((300, 300), (311, 311), (308, 309))),
    DiagnosisGroup("dementia", "dementia", r"F0|G3[01]", ((290, 290), (331, 331), (294, 294))),
    DiagnosisGroup("seizure", "seizure disorder", r"G40|R56", ((345, 345),)),
    DiagnosisGroup("neurologic", "other neurologic disease", r"G", ((320, 359),)),
    DiagnosisGroup("anemia", "anemia or blood disease", r"D[5-7]", ((280, 289),)),
    DiagnosisGroup("thyroid", "thyroid disease", r"E0[0-7]", ((240, 246),)),
    DiagnosisGroup("obesity", "obesity", r"E66|Z683|Z684", ((278, 278),)),
    DiagnosisGroup("gastrointestinal", "gastrointestinal disease", r"K", ((530, 579),)),
    DiagnosisGroup("urinary", "urinary disease", r"N[2-4]|N0", ((590, 608),)),
    DiagnosisGroup("pregnancy", "pregnancy", r"O|Z3[3-9]", ((630, 679),)),
    DiagnosisGroup("musculoskeletal", "musculoskeletal disease", r"M", ((710, 739),)),
    DiagnosisGroup("skin", "skin disease", r"L", ((680, 709),)),
    DiagnosisGroup("injury", "injury or poisoning", r"[ST]|W|V", ((800, 999),)),
    DiagnosisGroup("pain", "pain", r"R07|R10|R51|R52|G89", ((784, 784), (786, 786), (789, 789))),
)
OTHER_DIAGNOSIS = "other"
DIAGNOSIS_LABELS = {entry.key: entry.label for entry in DIAGNOSES} | {OTHER_DIAGNOSIS: "other diagnosis"}

_ICD10 = tuple((entry.key, re.compile(rf"(?:{entry.icd10})")) for entry in DIAGNOSES)


@lru_cache(maxsize=50_000)
def diagnosis_group(code_type: str | None, code: str | None) -> str:
    """The group of a diagnosis code; unknown codes are `other`."""
    bare = (code or "").upper().replace(".", "").strip()
    if code_type == "Dx9":
        return _icd9_group(bare)
    return next((key for key, pattern in _ICD10 if pattern.match(bare)), OTHER_DIAGNOSIS)


def _icd9_group(bare: str) -> str:
    if not bare[:3].isdigit():
        return OTHER_DIAGNOSIS
    stem = int(bare[:3])
    inside = (entry.key for entry in DIAGNOSES if any(low <= stem <= high for low, high in entry.icd9))
    return next(inside, OTHER_DIAGNOSIS)


@dataclass(frozen=True)
class MedicationClass:
    """A class of home medications: words found in its class, subclass or generic name."""

    key: str
    label: str
    pattern: str


MEDICATIONS = (
    MedicationClass("anticoagulant", "anticoagulant", r"ANTICOAG|WARFARIN|APIXABAN|RIVAROXABAN|DABIGATRAN|ENOXAPARIN"
                    r"|HEPARIN"),
    MedicationClass("antiplatelet", "antiplatelet", r"ANTIPLATELET|PLATELET AGG|CLOPIDOGREL|TICAGRELOR|PRASUGREL"
                    r"|ASPIRIN|SALICYLATE"),
    MedicationClass("chemotherapy", "cancer drug", r"ANTINEOPLAST|CHEMO|ONCOLOG|KINASE INHIB|TAMOXIFEN|LETROZOLE"
                    r"|CAPECITABINE|METHOTREXATE"),
    MedicationClass("immunosuppressant", "immunosuppressant", r"IMMUNOSUPP|TACROLIMUS|MYCOPHENOL|CYCLOSPOR|AZATHIOPR"
                    r"|MONOCLONAL|ADALIMUMAB"),
    MedicationClass("steroid", "steroid", r"(?<!NON)(?<!NON-)STEROID|CORTICO|PREDNIS|DEXAMETH|HYDROCORT|ADRENAL"),
    MedicationClass("insulin", "insulin", r"INSULIN"),
    MedicationClass("antidiabetic", "oral antidiabetic", r"ANTIDIABET|DIABET|HYPOGLYC|METFORMIN|GLIPIZIDE|GLIFLOZIN"
                    r"|GLIPTIN|GLUTIDE|BIGUANIDE|ANTIHYPERGLYC"),
    MedicationClass("loop_diuretic", "diuretic", r"DIURETIC|FUROSEMIDE|BUMETANIDE|TORSEMIDE|SPIRONOLACT"
                    r"|HYDROCHLOROTHIAZIDE|CHLORTHALIDONE"),
    MedicationClass("beta_blocker", "beta blocker", r"BETA.?(ADRENERGIC )?BLOCK|METOPROLOL|CARVEDILOL|ATENOLOL"
                    r"|PROPRANOLOL|BISOPROLOL"),
    MedicationClass("antiarrhythmic", "antiarrhythmic", r"ANTIARRHYTH|AMIODARONE|DIGOXIN|FLECAINIDE|SOTALOL|CARDIAC"
                    r"|NITRATE|NITROGLYC"),
    MedicationClass("ace_arb", "ACE inhibitor or ARB", r"\bACE\b|ANGIOTENSIN|LISINOPRIL|LOSARTAN|VALSARTAN|BENAZEPRIL"
                    r"|SARTAN\b|PRIL\b|RENIN"),
    MedicationClass("calcium_blocker", "calcium-channel blocker", r"CALCIUM.?CHANNEL|AMLODIPINE|DILTIAZEM|NIFEDIPINE"
                    r"|VERAPAMIL"),
    MedicationClass("antihypertensive", "other antihypertensive", r"HYPERTENS|HYPOTENSIVE|CLONIDINE|HYDRALAZINE"),
    MedicationClass("statin", "lipid drug", r"STATIN\b|LIPID|CHOLESTEROL|HMG|ANTIHYPERLIP"),
    MedicationClass("opioid", "opioid", r"OPIOID|OPIATE|NARCOTIC|OXYCODONE|HYDROCODONE|MORPHINE|TRAMADOL|FENTANYL"
                    r"|METHADONE|BUPRENORPH"),
    MedicationClass("sedative", "sedative", r"BENZODIAZ|SEDATIVE|HYPNOTIC|ANXIOLYTIC|ANTIANXIETY|LORAZEPAM|ALPRAZOLAM"
                    r"|CLONAZEPAM|ZOLPIDEM"),
    MedicationClass("antipsychotic", "antipsychotic", r"ANTIPSYCHOT|QUETIAPINE|OLANZAPINE|RISPERIDONE|ARIPIPRAZOLE"
                    r"|LITHIUM"),
    MedicationClass("antidepressant", "antidepressant", r"ANTIDEPRESS|SSRI|SEROTONIN|SERTRALINE|FLUOXETINE|BUPROPION"
                    r"|TRAZODONE|ESCITALOPRAM"),
    MedicationClass("anticonvulsant", "anticonvulsant", r"ANTICONVULS|ANTIEPILEP|SEIZURE|LEVETIRACETAM|GABAPENTIN"
                    r"|LAMOTRIGINE|PREGABALIN|TOPIRAMATE"),
    MedicationClass("inhaler", "inhaler", r"BRONCHODIL|INHAL|ALBUTEROL|ANTI-?ASTHMA|ASTHMA|COPD|TIOTROPIUM|FLUTICASONE"
                    r"|BETA.?(2|ADRENERGIC) AGON|MONTELUKAST"),
    MedicationClass("antibiotic", "antibiotic", r"ANTIBIOT|ANTIBACT|CILLIN|CEPHALOSP|CEPHALEXIN|MACROLIDE|QUINOLONE"
                    r"|SULFAMETHOX|TETRACYCL|ANTI-?INFECT|NITROFURAN"),
    MedicationClass("antiviral", "antiviral", r"ANTIVIRAL|ANTIRETRO|\bHIV\b|VALACYCLOVIR|ACYCLOVIR"),
    MedicationClass("thyroid", "thyroid hormone", r"THYROID|LEVOTHYROX"),
    MedicationClass("acid", "acid suppression", r"PROTON PUMP|ANTI-?ULCER|\bPPI\b|OMEPRAZOLE|PANTOPRAZOLE|FAMOTIDINE"
                    r"|\bH2\b|GASTRIC|ANTACID"),
    MedicationClass("analgesic", "analgesic", r"ANALGES|NSAID|NON-?STEROID|ACETAMINOPHEN|IBUPROFEN|NAPROXEN"
                    r"|ANTI-?INFLAMM|MUSCLE RELAX|CYCLOBENZ"),
    MedicationClass("antiemetic", "antiemetic", r"ANTIEMET|ANTINAUS|ONDANSETRON"),
    MedicationClass("laxative", "laxative", r"LAXAT|STOOL|DOCUSATE|SENN|POLYETHYLENE"),
    MedicationClass("allergy", "antihistamine", r"ANTIHISTAM|ALLERG|CETIRIZINE|LORATADINE|DIPHENHYDR"),
    MedicationClass("supplement", "vitamin or supplement", r"VITAMIN|SUPPLEMENT|MINERAL|CALCIUM|IRON|FOLIC|ELECTROLYTE"
                    r"|POTASSIUM"),
)  # fmt: skip
OTHER_MEDICATION = "other"
MEDICATION_LABELS = {entry.key: entry.label for entry in MEDICATIONS} | {OTHER_MEDICATION: "other medication"}

_MEDICATION_PATTERNS = tuple((entry.key, re.compile(entry.pattern)) for entry in MEDICATIONS)


@lru_cache(maxsize=50_000)
def medication_class(*texts: str | None) -> str:
    """The class of a medication from its names and classes; the first text that tells wins."""
    for text in texts:
        upper = (text or "").upper()
        found = next((key for key, pattern in _MEDICATION_PATTERNS if pattern.search(upper)), None)
        if found:
            return found
    return OTHER_MEDICATION
