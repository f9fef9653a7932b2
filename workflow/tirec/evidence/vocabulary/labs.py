"""Laboratory components: which names are the same test, which panel a clinician reads them in, usual adult limits.

The record's own limits come first; the limits here stand in where a record has none, and mark critical values.
Written for this project from general knowledge.
"""

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Component:
    """A common test: key (of its column), words, panel, names, usual limits (US units) and critical limits."""

    key: str
    label: str
    panel: str
    names: tuple[str, ...]
    low: float | None = None
    high: float | None = None
    critical_low: float | None = None
    critical_high: float | None = None


PANELS = {
    "cardiac": "Cardiac",
    "gas": "Blood gas, lactate",
    "chemistry": "Chemistry",
    "count": "Blood count",
    "coagulation": "Coagulation",
    "liver": "Liver, pancreas",
    "inflammation": "Inflammation",
    "infection": "Infection tests",
    "urine": "Urine",
    "toxicology": "Toxicology, pregnancy",
    "other": "Other",
}
"""Panel keys in the order a clinician reads them, with their headings."""

COMPONENTS = (
    Component("troponin", "troponin", "cardiac", ("TROPONIN",), None, None),
    Component("bnp", "BNP", "cardiac", ("NATRIURETIC", "BNP"), None, None),
    Component("lactate", "lactate", "gas", ("LACTATE", "LACTIC ACID"), 0.5, 2.0, None, 4.0),
    Component("ph", "pH", "gas", ("PH (V)", "PH (A)", "PH"), 7.32, 7.45, 7.2, 7.6),
    Component("pco2", "pCO2", "gas", ("PCO2 (V)", "PCO2 (A)", "PCO2"), 35, 50, 20, 70),
    Component("sodium", "sodium", "chemistry", ("SODIUM",), 135, 145, 120, 160),
    Component("potassium", "potassium", "chemistry", ("POTASSIUM",), 3.5, 5.1, 2.5, 6.5),
    Component("chloride", "chloride", "chemistry", ("CHLORIDE",), 98, 107, 75, 130),
    Component("bicarbonate", "CO2", "chemistry", ("CO2", "HCO3", "BICARBONATE", "TOTAL CO2"), 22, 29, 10, 45),
    Component("anion_gap", "anion gap", "chemistry", ("ANION GAP",), 5, 15, None, 25),
    Component("glucose", "glucose", "chemistry", ("GLUCOSE",), 70, 140, 45, 500),
    Component("creatinine", "creatinine", "chemistry", ("CREATININE",), 0.5, 1.2, None, 7.5),
    Component("bun", "BUN", "chemistry", ("BLOOD UREA NITROGEN (BUN)", "BUN", "UREA NITROGEN"), 7, 22, None, 100),
    Component("egfr", "eGFR", "chemistry", ("EGFR REFIT WITHOUT RACE (2021)", "EGFR"), 60, None, 15, None),
    Component("calcium", "calcium", "chemistry", ("CALCIUM",), 8.4, 10.4, 6.5, 13),
    Component("magnesium", "magnesium", "chemistry", ("MAGNESIUM",), 1.6, 2.6, 1.0, 4.7),
    Component("wbc", "WBC", "count", ("WHITE BLOOD CELLS (WBC)", "WBC"), 4, 11, 1, 30),
    Component("hemoglobin", "hemoglobin", "count", ("HEMOGLOBIN (HGB)", "HEMOGLOBIN", "HGB"), 11.7, 17.5, 7, 20),
    Component("hematocrit", "hematocrit", "count", ("HEMATOCRIT (HCT)", "HEMATOCRIT"), 35, 51, 20, 60),
    Component("platelets", "platelets", "count", ("PLATELET COUNT (PLT)", "PLATELETS"), 150, 400, 20, 1000),
    Component("neutrophils", "neutrophils", "count", ("NEUTROPHIL % (AUTO DIFF)",), 40, 75),
    Component("inr", "INR", "coagulation", ("INR",), 0.8, 1.2, None, 5),
    Component("d_dimer", "D-dimer", "coagulation", ("D-DIMER", "D DIMER"), None, None),
    Component("albumin", "albumin", "liver", ("ALBUMIN",), 3.5, 5.2),
    Component("bilirubin", "bilirubin", "liver", ("BILIRUBIN, TOTAL", "TOTAL BILIRUBIN"), 0.1, 1.2, None, 15),
    Component("alt", "ALT", "liver", ("ALT (SGPT)", "ALT"), 5, 50, None, 1000),
    Component("ast", "AST", "liver", ("AST (SGOT)", "AST"), 5, 50, None, 1000),
    Component("alkaline_phosphatase", "alkaline phosphatase", "liver", ("ALKALINE PHOSPHATASE",), 35, 130),
    Component("lipase", "lipase", "liver", ("LIPASE",), 7, 60),
    Component("crp", "CRP", "inflammation", ("C-REACTIVE PROTEIN", "CRP"), None, 1.0),
    Component("procalcitonin", "procalcitonin", "inflammation", ("PROCALCITONIN",), None, 0.5),
    Component("sars_cov_2", "SARS-CoV-2", "infection", ("SARS-COV-2 RNA", "SARS-COV-2", "COVID-19")),
)
BY_KEY = {entry.key: entry for entry in COMPONENTS}

_BY_NAME = {name: entry for entry in COMPONENTS for name in entry.names}
# Names that the release spells in ways nobody has listed yet are matched by their stem.
_STEMS = tuple(
    (re.compile(pattern), BY_KEY[key])
    for pattern, key in (
        (r"TROPONIN", "troponin"),
        (r"NATRIURETIC|\bBNP\b", "bnp"),
        (r"D-? ?DIMER", "d_dimer"),
        (r"^(LACTATE|LACTIC ACID)\b", "lactate"),
        (r"SARS-COV-2|COVID", "sars_cov_2"),
        (r"^C-REACTIVE PROTEIN|^CRP\b", "crp"),
        (r"^PROCALCITONIN", "procalcitonin"),
    )
)
_PANEL_STEMS = tuple(
    (re.compile(pattern), panel)
    for pattern, panel in (
        (r"URIN|\(UA\)|\bUA\b", "urine"),
        (r"SARS|COVID|INFLUENZA|\bRSV\b|STREP|CULTURE|\bHIV\b|HEPATITIS|CHLAM|GONOR|GRAM STAIN", "infection"),
        (r"AUTO DIFF|MANUAL DIFF|NEUTROPHIL|LYMPHOCYTE|MONOCYTE|EOSINOPHIL|BASOPHIL|GRANULOCYTE|\bMC(V|H|HC)\b|\bRDW\b"
         r"|\bMPV\b|RED BLOOD CELLS|PLATELET|DIFTYP|\bCBC\b|RETICULOCYTE", "count"),
        (r"CORRECTED CALCIUM|PHOSPH(ORUS|ATE)|OSMOLALITY|METABOLIC|URIC ACID|KETONE|HYDROXYBUTYRATE", "chemistry"),
        (r"PROTEIN, TOTAL|GLOBULIN|BILIRUBIN|AMYLASE|AMMONIA|\bGGT\b|HEPATIC", "liver"),
        (r"PROTHROMBIN|\bPTT?\b|\bAPTT\b|FIBRINOGEN|ANTI-?XA", "coagulation"),
        (r"\bCK\b|CREATINE KINASE|CK-?MB", "cardiac"),
        (r"\bPO2\b|BASE (EXCESS|DEFICIT)|\bO2 SAT|OXYHEM|CARBOXY|METHEM|ISTAT|BLOOD GAS", "gas"),
        (r"SED RATE|SEDIMENTATION|\bESR\b|FERRITIN", "inflammation"),
        (r"ETHANOL|ALCOHOL|SALICYLATE|ACETAMINOPHEN|BENZODIAZEPINE|OPIATE|COCAINE|AMPHETAMINE|CANNABI|\bHCG\b|PREGNAN",
         "toxicology"),
    )
)  # fmt: skip


def _base(name: str) -> str:
    """The name without the marks of a bedside device."""
    upper = " ".join(name.upper().split())
    return upper.removeprefix("POC:").removesuffix(", ISTAT").strip()


@lru_cache(maxsize=20_000)
def component(name: str | None) -> Component | None:
    """The common test that a component name stands for, or None. Urine and fluid tests are never blood tests."""
    base = _base(name or "")
    if re.search(r"URIN|\(UA\)|FLUID|CSF", base):
        return None
    if base in _BY_NAME:
        return _BY_NAME[base]
    return next((entry for stem, entry in _STEMS if stem.search(base)), None)


@lru_cache(maxsize=20_000)
def panel(name: str | None, display_name: str | None) -> str:
    """The panel of a component by its own name, else by the name of its order; `other` where nothing matches."""
    found = component(name)
    if found is not None:
        return found.panel
    for text in (_base(name or ""), _base(display_name or "")):
        match = next((key for stem, key in _PANEL_STEMS if stem.search(text)), None)
        if match:
            return match
    return "other"


CRITICAL_FLAG = r"(?i)CRIT|PANIC|^\s*(HH|LL)\s*$"
HIGH_FLAG = r"(?i)HIGH|^\s*HH?\s*$|^\s*>"
LOW_FLAG = r"(?i)LOW|^\s*LL?\s*$|^\s*<"
ABNORMAL_FLAG = r"(?i)^\s*(ABNORMAL|ABN|A|AA|POSITIVE)\b|CRIT|PANIC"
NORMAL_FLAG = r"(?i)^\s*(NORMAL|N|NEGATIVE)\s*$"
ABNORMAL_WORDS = r"(?i)^\s*(POSITIVE|POS|DETECTED|REACTIVE|PRESENT|LARGE|MODERATE|MANY|GROWTH)\b"
NORMAL_WORDS = r"(?i)^\s*(NEGATIVE|NEG|NOT DETECTED|NONE|NONREACTIVE|NON-REACTIVE|ABSENT|NORMAL|NO GROWTH)\b"
