"""Laboratory panels and their components with reference limits, as one typed table."""

from typing import Literal, NamedTuple

Kind = Literal["number", "detected", "urine", "text"]


class Component(NamedTuple):
    """One component of a panel; `decimals` and limits shape the number, `odd` the abnormal word of a text result."""

    name: str
    units: str
    low: float
    high: float
    decimals: int
    kind: Kind = "number"


class Panel(NamedTuple):
    """One laboratory order; minutes from draw to result; `share` of visits with blood work that get it."""

    order_name: str
    code: str
    display: str
    share: float
    minutes: float
    components: tuple[Component, ...]


_CBC = (
    Component("WHITE BLOOD CELLS (WBC)", "K/uL", 4.0, 11.0, 1),
    Component("RED BLOOD CELLS (RBC)", "MIL/uL", 4.0, 5.4, 2),
    Component("HEMOGLOBIN (HGB)", "g/dL", 11.7, 15.7, 1),
    Component("HEMATOCRIT (HCT)", "%", 35.0, 47.0, 1),
    Component("MEAN CORPUSCULAR VOLUME (MCV)", "fL", 82.0, 98.0, 1),
    Component("MEAN CORPUSCULAR HEMOGLOBIN (MCH)", "pg", 27.0, 34.0, 1),
    Component("RED CELL DISTRIBUTION WIDTH (RDW)", "%", 11.5, 14.5, 1),
    Component("PLATELET COUNT (PLT)", "K/uL", 150.0, 400.0, 0),
    Component("NEUTROPHIL % (AUTO DIFF)", "%", 40.0, 74.0, 1),
    Component("NEUTROPHIL, ABSOLUTE (AUTO DIFF)", "K/uL", 1.7, 6.7, 2),
    Component("LYMPHOCYTE % (AUTO DIFF)", "%", 18.0, 48.0, 1),
    Component("LYMPHOCYTE, ABSOLUTE (AUTO DIFF)", "K/uL", 1.0, 3.0, 2),
    Component("MONOCYTE, ABSOLUTE (AUTO DIFF)", "K/uL", 0.3, 0.95, 2),
    Component("EOSINOPHIL, ABSOLUTE (AUTO DIFF)", "K/uL", 0.05, 0.55, 2),
    Component("BASOPHIL, ABSOLUTE (AUTO DIFF)", "K/uL", 0.01, 0.1, 2),
    Component("IMM. GRANULOCYTE, ABSOLUTE (AUTO DIFF)", "K/uL", 0.01, 0.06, 2),
    Component("MEAN PLATELET VOLUME (MPV)", "fL", 7.5, 12.5, 1),
    Component("NUCLEATED RBC", "/100 WBC", 0.0, 0.2, 1),
    Component("DIFFERENTIAL TYPE", "", 0.0, 0.0, 0, "text"),
)
_CHEMISTRY = (
    Component("SODIUM", "mmol/L", 135.0, 145.0, 0),
    Component("POTASSIUM", "mmol/L", 3.5, 5.1, 1),
    Component("CHLORIDE", "mmol/L", 98.0, 107.0, 0),
    Component("CO2", "mmol/L", 22.0, 29.0, 0),
    Component("ANION GAP", "mmol/L", 5.0, 15.0, 0),
    Component("GLUCOSE", "mg/dL", 70.0, 140.0, 0),
    Component("CREATININE", "mg/dL", 0.55, 1.02, 2),
    Component("BLOOD UREA NITROGEN (BUN)", "mg/dL", 7.0, 25.0, 0),
    Component("CALCIUM", "mg/dL", 8.4, 10.5, 1),
    Component("EGFR REFIT WITHOUT RACE (2021)", "mL/min/1.73m2", 60.0, 120.0, 0),
)
_LIVER = (
    Component("ALBUMIN", "g/dL", 3.5, 5.2, 1),
    Component("PROTEIN, TOTAL", "g/dL", 6.1, 8.2, 1),
    Component("GLOBULIN", "g/dL", 2.0, 3.7, 1),
    Component("BILIRUBIN, TOTAL", "mg/dL", 0.2, 1.2, 1),
    Component("ALKALINE PHOSPHATASE", "U/L", 35.0, 105.0, 0),
    Component("AST (SGOT)", "U/L", 8.0, 35.0, 0),
    Component("ALT (SGPT)", "U/L", 6.0, 37.0, 0),
)
_URINE = (
    Component("GLUCOSE, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("KETONE, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("NITRITE, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("LEUKOCYTE ESTERASE, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("BLOOD, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("PROTEIN, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("BILIRUBIN, URINE (UA)", "", 0.0, 0.0, 0, "urine"),
    Component("COLOR, URINE (UA)", "", 0.0, 0.0, 0, "text"),
    Component("SPECIFIC GRAVITY, URINE (UA)", "", 1.005, 1.03, 3),
    Component("PH, URINE (UA)", "", 5.0, 8.0, 1),
)
PANELS: tuple[Panel, ...] = (
    Panel("CBC WITH DIFFERENTIAL", "LABCBCD", "CBC with Differential (CBCD)", 0.95, 22, _CBC),
    Panel("COMPREHENSIVE METABOLIC PANEL", "LABMETC", "Metabolic Panel, Comprehensive", 0.78, 30, _CHEMISTRY + _LIVER),
    Panel("BASIC METABOLIC PANEL", "LABMETB", "Metabolic Panel", 0.25, 28, _CHEMISTRY),
    Panel("URINALYSIS WITH MICROSCOPIC", "LABUAMIC", "Urinalysis With Microscopic", 0.50, 35, _URINE),
    Panel(
        "RESPIRATORY VIRUS PCR",
        "LABRESP4",
        "SARS-CoV-2 RNA, Influenza A/B and RSV",
        0.35,
        55,
        (
            Component("SARS-COV-2 RNA", "", 0.0, 0.0, 0, "detected"),
            Component("INFLUENZA A", "", 0.0, 0.0, 0, "detected"),
            Component("INFLUENZA B", "", 0.0, 0.0, 0, "detected"),
            Component("RSV", "", 0.0, 0.0, 0, "detected"),
        ),
    ),
    Panel(
        "POC BLOOD GAS, VENOUS, ISTAT",
        "POCVBG",
        "POC:Blood Gas, Venous, ISTAT",
        0.45,
        8,
        (
            Component("POC:PH (V), ISTAT", "", 7.32, 7.43, 2),
            Component("POC:PCO2 (V), ISTAT", "mmHg", 38.0, 52.0, 1),
            Component("POC:HCO3", "mmol/L", 22.0, 29.0, 1),
            Component("POC:LACTATE, ISTAT", "mmol/L", 0.5, 2.0, 1),
            Component("POC:POTASSIUM, ISTAT", "mmol/L", 3.5, 5.1, 1),
        ),
    ),
    Panel(
        "TROPONIN I, HIGH SENSITIVITY",
        "LABTNIHS",
        "Troponin I, High Sensitivity",
        0.42,
        30,
        (Component("TROPONIN I, HIGH SENSITIVITY", "ng/L", 3.0, 17.0, 0),),
    ),
    Panel(
        "LACTATE, WHOLE BLOOD",
        "LABLACTWB",
        "Lactate, Whole Blood",
        0.25,
        14,
        (Component("LACTATE", "mmol/L", 0.5, 2.0, 1),),
    ),
    Panel("LIPASE", "LABLIP", "Lipase", 0.35, 30, (Component("LIPASE", "U/L", 10.0, 60.0, 0),)),
    Panel("MAGNESIUM, SERUM", "LABMG", "Magnesium", 0.45, 30, (Component("MAGNESIUM", "mg/dL", 1.6, 2.4, 1),)),
    Panel(
        "PROTHROMBIN TIME (PT/INR)",
        "LABPT",
        "Prothrombin Time",
        0.28,
        32,
        (Component("PROTHROMBIN TIME", "s", 11.5, 14.5, 1), Component("INR", "", 0.9, 1.2, 1)),
    ),
    Panel(
        "NT-PROBNP",
        "LABPBNP",
        "NT-proBNP",
        0.18,
        40,
        (Component("NT-PRO-BNP NATRIURETIC PEPTIDE", "pg/mL", 5.0, 125.0, 0),),
    ),
    Panel("D-DIMER", "LABDDIM", "D-Dimer", 0.12, 40, (Component("D-DIMER, QUANTITATIVE", "ug/mL FEU", 0.1, 0.5, 2),)),
    Panel(
        "CULTURE, URINE",
        "LABURC",
        "Urine Culture",
        0.12,
        1800,
        (Component("URINE CULTURE/COLONY COUNT", "", 0.0, 0.0, 0, "text"),),
    ),
)
REPEATED = ("BASIC METABOLIC PANEL", "TROPONIN I, HIGH SENSITIVITY", "LACTATE, WHOLE BLOOD")
"""Panels that are drawn a second time in long visits."""
TEXTS = {
    "DIFFERENTIAL TYPE": "DIFTYP: AUTO",
    "COLOR, URINE (UA)": "Yellow",
    "URINE CULTURE/COLONY COUNT": "<10,000 CFU/mL mixed flora\nNo further workup",
}
"""Results that are words in any patient."""
