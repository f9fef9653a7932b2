"""Orders: their kinds, and clinical classes by name. Written for this project from general knowledge."""

import re
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

KINDS = ("lab", "imaging", "medication", "other")

_KIND_PATTERNS = {
    "lab": r"(?i)^\s*(lab|labs|laboratory|lab test|point of care|poc|microbiology|blood bank)\b",
    "imaging": r"(?i)^\s*(imaging|radiology|rad|rads|img|x-?ray|ct|mri|ultrasound)\b",
    "medication": r"(?i)^\s*(medication|medications|med|meds|pharmacy|iv|fluid|fluids)\b",
}


def order_kind(order_type: pl.Expr) -> pl.Expr:
    """`lab`, `imaging` or `medication` by the order's type without case; every other type is `other`."""
    kind = pl.lit("other")
    for name, pattern in reversed(_KIND_PATTERNS.items()):
        kind = pl.when(order_type.str.contains(pattern).fill_null(False)).then(pl.lit(name)).otherwise(kind)
    return kind


@dataclass(frozen=True)
class OrderClass:
    """A class of orders: its column key, the words for it, the kinds it may have and the names that belong to it."""

    key: str
    label: str
    kinds: tuple[str, ...]
    pattern: str


_MED = ("medication", "other")
_LAB = ("lab", "other")
_OTHER = ("other", "lab", "medication")

# The order is the order in which a text names them: what weighs most first. A name belongs to the first match.
CLASSES = (
    OrderClass(
        "airway",
        "airway or ventilation",
        _OTHER,
        r"INTUBAT|VENTILAT|BIPAP|CPAP|HIGH FLOW|ROCURONIUM|SUCCINYL"
        r"|ETOMIDATE|VECURONIUM|PROPOFOL|DEXMEDETOMIDINE",
    ),
    OrderClass(
        "vasopressor",
        "vasopressor",
        _MED,
        r"NOREPINEPHRINE|LEVOPHED|VASOPRESSIN|PHENYLEPHRINE|DOPAMINE"
        r"|DOBUTAMINE|^(?!.*(CAINE|PEN|INHAL|NEB|RACEMIC)).*EPINEPHRINE",
    ),
    OrderClass(
        "blood_product",
        "blood product",
        _OTHER,
        r"RED BLOOD CELLS?(?=.*(TRANSFUS|PREPARE|UNIT))|TRANSFUS"
        r"|PREPARE (RBC|RED|PLT|PLATELET|PLASMA|FFP|CRYO)|FRESH FROZEN|CRYOPRECIP|MASSIVE",
    ),
    OrderClass("thrombolytic", "thrombolytic", _MED, r"ALTEPLASE|TENECTEPLASE|\bTPA\b"),
    OrderClass(
        "antiarrhythmic",
        "antiarrhythmic",
        _MED,
        r"AMIODARONE|ADENOSINE|DILTIAZEM|PROCAINAMIDE|ESMOLOL|DIGOXIN"
        r"|MAGNESIUM SULFATE",
    ),
    OrderClass(
        "anticoagulant",
        "anticoagulant",
        _MED,
        r"HEPARIN(?!.*(FLUSH|LOCK))|ENOXAPARIN|LOVENOX|APIXABAN"
        r"|RIVAROXABAN|WARFARIN|ARGATROBAN|BIVALIRUDIN",
    ),
    OrderClass(
        "cardiac",
        "cardiac drug",
        _MED,
        r"NITROGLYCERIN|ASPIRIN|CLOPIDOGREL|TICAGRELOR|METOPROLOL|LABETALOL"
        r"|NICARDIPINE|HYDRALAZINE|ATROPINE|AMLODIPINE|LISINOPRIL",
    ),
    OrderClass("diuretic", "diuretic", _MED, r"FUROSEMIDE|LASIX|BUMETANIDE|TORSEMIDE"),
    OrderClass("insulin", "insulin", _MED, r"INSULIN"),
    OrderClass(
        "antibiotic",
        "antibiotic",
        _MED,
        r"CEFTRIAXONE|CEFEPIME|CEFAZOLIN|CEPHALEXIN|CEF[A-Z]{4,}|VANCOMYCIN"
        r"|PIPERACILLIN|ZOSYN|MEROPENEM|ERTAPENEM|AZITHROMYCIN|DOXYCYCLINE|LEVOFLOXACIN|CIPROFLOXACIN"
        r"|METRONIDAZOLE|CLINDAMYCIN|AMPICILLIN|AMOXICILLIN|[A-Z]+CILLIN\b|SULFAMETHOXAZOLE|GENTAMICIN"
        r"|NITROFURANTOIN|ACYCLOVIR|OSELTAMIVIR|REMDESIVIR|ANTIBIOTIC",
    ),
    OrderClass(
        "iv_fluid",
        "IV fluid",
        _MED,
        r"^(?!.*FLUSH).*(\b(LR|NS)\b|LACTATED RINGER|SODIUM CHLORIDE 0?\.9|NORMAL SALINE|BOLUS"
        r"|PLASMA-?LYTE|DEXTROSE 5\b|IV FLUID|ALBUMIN HUMAN)",
    ),
    OrderClass(
        "anticonvulsant",
        "anticonvulsant",
        _MED,
        r"LEVETIRACETAM|KEPPRA|PHENYTOIN|FOSPHENYTOIN|VALPRO"
        r"|LACOSAMIDE|PHENOBARBITAL",
    ),
    OrderClass(
        "sedative",
        "sedative or antipsychotic",
        _MED,
        r"LORAZEPAM|MIDAZOLAM|DIAZEPAM|HALOPERIDOL|OLANZAPINE"
        r"|DROPERIDOL|ZIPRASIDONE|QUETIAPINE|KETAMINE|CHLORDIAZEPOXIDE",
    ),
    OrderClass(
        "opioid",
        "opioid",
        _MED,
        r"MORPHINE|HYDROMORPHONE|DILAUDID|FENTANYL|OXYCODONE|HYDROCODONE|TRAMADOL"
        r"|NORCO|PERCOCET",
    ),
    OrderClass("steroid", "steroid", _MED, r"PREDNIS|DEXAMETHASONE|HYDROCORTISONE"),
    OrderClass(
        "bronchodilator", "bronchodilator", _MED, r"ALBUTEROL|IPRATROPIUM|DUONEB|NEBULI[ZS]|RACEMIC|TERBUTALINE"
    ),
    OrderClass(
        "electrolyte",
        "electrolyte replacement",
        _MED,
        r"POTASSIUM (CHLORIDE|PHOS)|CALCIUM (GLUCONATE|CHLORIDE)"
        r"|SODIUM BICARB|DEXTROSE 50",
    ),
    OrderClass(
        "analgesic",
        "analgesic",
        _MED,
        r"ACETAMINOPHEN|TYLENOL|IBUPROFEN|KETOROLAC|TORADOL|NAPROXEN|LIDOCAINE"
        r"|GABAPENTIN|CYCLOBENZAPRINE|METHOCARBAMOL",
    ),
    OrderClass("antiemetic", "antiemetic", _MED, r"ONDANSETRON|ZOFRAN|METOCLOPRAMIDE|PROCHLORPERAZINE|PROMETHAZINE"),
    OrderClass("gastric", "acid suppression", _MED, r"PANTOPRAZOLE|FAMOTIDINE|OMEPRAZOLE|MAALOX|ALUMINUM|SUCRALFATE"),
    OrderClass("allergy", "antihistamine", _MED, r"DIPHENHYDRAMINE|BENADRYL|CETIRIZINE|HYDROXYZINE|LORATADINE"),
    OrderClass("vaccine", "vaccine", _MED, r"VACCINE|TETANUS|\bTDAP\b|IMMUNE GLOBULIN"),
    OrderClass("mri", "MRI", ("imaging", "other"), r"\bMRI?\b|\bMRA\b|MAGNETIC"),
    OrderClass("ct", "CT", ("imaging", "other"), r"\bCTA?\b|COMPUTED TOMO"),
    OrderClass("ultrasound", "ultrasound", ("imaging", "other"), r"\bUS\b|ULTRASOUND|DOPPLER|\bPOCUS\b|SONO|DUPLEX"),
    OrderClass("xray", "X-ray", ("imaging", "other"), r"\bXR\b|X-?RAY|RADIOGRAPH|\b[1-4] VIEWS?\b"),
    OrderClass("echo", "echocardiogram", ("imaging", "other"), r"ECHO|\bTTE\b|\bTEE\b"),
    OrderClass("blood_culture", "blood culture", _LAB, r"BLOOD CULTURE|CULTURE,? BLOOD"),
    OrderClass("troponin", "troponin", _LAB, r"TROPONIN"),
    OrderClass("lactate", "lactate", _LAB, r"LACTATE|LACTIC"),
    OrderClass("blood_gas", "blood gas", _LAB, r"BLOOD GAS|\b[AV]BG\b|ISTAT"),
    OrderClass("d_dimer", "D-dimer", _LAB, r"D-?DIMER"),
    OrderClass("bnp", "BNP", _LAB, r"\bBNP\b|NATRIURETIC"),
    OrderClass("type_screen", "type and screen", _LAB, r"TYPE (AND|&) (SCREEN|CROSS)|CROSSMATCH"),
    OrderClass("coagulation", "coagulation test", _LAB, r"PROTHROMBIN|\bPT\b|\bINR\b|\bPTT\b|FIBRINOGEN"),
    OrderClass("urine", "urine test", _LAB, r"URIN|\bUA\b"),
    OrderClass("infection_test", "infection test", _LAB, r"SARS|COVID|INFLUENZA|\bRSV\b|STREP|CULTURE|CHLAMYDIA|HIV"),
    OrderClass("pregnancy_test", "pregnancy test", _LAB, r"\bHCG\b|PREGNANCY"),
    OrderClass("toxicology", "toxicology test", _LAB, r"DRUG SCREEN|ETHANOL|ALCOHOL|SALICYLATE|ACETAMINOPHEN"),
    OrderClass("blood_count", "blood count", _LAB, r"\bCBC\b|BLOOD COUNT|HEMOGLOBIN|HEMATOCRIT"),
    OrderClass(
        "chemistry",
        "chemistry",
        _LAB,
        r"METABOLIC|\b[BC]MP\b|LIPASE|MAGNESIUM|PHOSPH|HEPATIC|LIVER|GLUCOSE"
        r"|ELECTROLYTE|RENAL",
    ),
    OrderClass("ecg", "ECG", _OTHER, r"\bE[CK]G\b|ELECTROCARDIOGRA|12.?LEAD"),
    OrderClass("consult", "consult", _OTHER, r"CONSULT"),
    OrderClass(
        "monitoring",
        "continuous monitoring",
        _OTHER,
        r"TELEMETRY|CARDIAC MONITOR|CONTINUOUS|NEURO CHECK"
        r"|PULSE OX",
    ),
    OrderClass("oxygen", "oxygen", _OTHER, r"OXYGEN|NASAL CANNULA|\bO2\b"),
    OrderClass("npo", "nothing by mouth", _OTHER, r"\bNPO\b"),
    OrderClass("isolation", "isolation", _OTHER, r"ISOLATION|PRECAUTION"),
    OrderClass("psychiatric", "psychiatric hold or watch", _OTHER, r"5150|SITTER|SUICID|RESTRAINT|PSYCH"),
    OrderClass("access", "line or catheter", _OTHER, r"PERIPHERAL IV|FLUSH|LOCK|INSERT|FOLEY|CATHETER|CENTRAL"),
)

_COMPILED = tuple((entry, re.compile(entry.pattern)) for entry in CLASSES)
LABELS = {entry.key: entry.label for entry in CLASSES}


@lru_cache(maxsize=50_000)
def order_class(kind: str, name: str | None) -> str:
    """The class key of an order; `unclassed` where no class knows the name."""
    upper = (name or "").upper()
    for entry, pattern in _COMPILED:
        if kind in entry.kinds and pattern.search(upper):
            return entry.key
    return "unclassed"
