"""The clinical vocabularies on names as they are written."""

import pytest

from tirec.evidence.vocabulary.history import diagnosis_group, medication_class
from tirec.evidence.vocabulary.imaging import acute_findings, modality, region
from tirec.evidence.vocabulary.labs import component, panel
from tirec.evidence.vocabulary.orders import order_class
from tirec.evidence.vocabulary.vitals import HEART_RATE, MEAN_PRESSURE, OXYGEN_SATURATION, TEMPERATURE, worst


@pytest.mark.parametrize(
    ("impression", "found"),
    [
        ("1. No acute cardiopulmonary disease.", ()),
        ("No fracture, effusion or dislocation.", ()),
        ("1. Acute subdural hemorrhage.\n2. No fracture.", ("hemorrhage",)),
        ("Fracture of the distal radius without dislocation.", ("fracture",)),
        ("Pneumothorax is not seen.", ()),
        ("Opacities have resolved.", ()),
        ("Chronic infarct, unchanged.", ()),
        ("Possible pneumonia, clinical correlation.", ()),
        ("No effusion but right lower lobe pneumonia.", ("pneumonia",)),
        ("Negative for pulmonary embolism.", ()),
        ("Acute pulmonary embolus with right heart strain.", ("embolus",)),
        ("Status post fracture fixation, healed.", ()),
        ("", ()),
        (None, ()),
    ],
)
def test_acute_findings_are_affirmed_ones(impression, found):
    assert acute_findings(impression) == found


@pytest.mark.parametrize(
    ("study", "where", "how"),
    [
        ("CT HEAD WITHOUT CONTRAST", "head", "ct"),
        ("XR CHEST 1 VIEW", "chest", "xray"),
        ("US ABDOMEN RIGHT UPPER QUADRANT", "abdomen", "ultrasound"),
        ("MRI LUMBAR SPINE", "neck_spine", "mri"),
        ("CTA CHEST PULMONARY EMBOLISM", "chest", "ct"),
        ("XR ANKLE 3 VIEWS", "limb", "xray"),
        (None, "other", "other"),
    ],
)
def test_studies(study, where, how):
    assert (region(study), modality(study)) == (where, how)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("POTASSIUM", "potassium"),
        ("POC:POTASSIUM, ISTAT", "potassium"),
        ("POC:LACTATE, ISTAT", "lactate"),
        ("POC:PH (V), ISTAT", "ph"),
        ("HIGH SENSITIVITY TROPONIN I", "troponin"),
        ("NT-PROBNP, NATRIURETIC PEPTIDE", "bnp"),
        ("D-DIMER, QUANTITATIVE", "d_dimer"),
        ("GLUCOSE, URINE (UA)", None),
        ("CREATININE, URINE", None),
        ("BLOOD UREA NITROGEN (BUN)", "bun"),
        (None, None),
    ],
)
def test_components(name, key):
    found = component(name)
    assert (found and found.key) == key


def test_panels():
    assert panel("NITRITE, URINE (UA)", None) == "urine"
    assert panel("LYMPHOCYTE, ABSOLUTE (AUTO DIFF)", None) == "count"
    assert panel("UNKNOWN", "Basic Metabolic Panel") == "chemistry"
    assert panel(None, None) == "other"


@pytest.mark.parametrize(
    ("kind", "name", "key"),
    [
        ("medication", "LR IV BOLUS - 1000 ML", "iv_fluid"),
        ("medication", "CEFTRIAXONE 1 G INJ SOLR", "antibiotic"),
        ("lab", "HEPARIN ANTI-XA", "unclassed"),
        ("medication", "HEPARIN 5000 UNIT/ML INJ", "anticoagulant"),
        ("medication", "SODIUM CHLORIDE 0.9 % IV FLUSH", "access"),
        ("imaging", "CT HEAD WITHOUT CONTRAST", "ct"),
        ("imaging", "US LIMITED", "ultrasound"),
        ("other", "ECG 12-LEAD", "ecg"),
        ("lab", "CBC WITH DIFFERENTIAL", "blood_count"),
        ("medication", "EPINEPHRINE 1 MG/10 ML INJ", "vasopressor"),
        ("medication", "SODIUM CHLORIDE 0.9 % IV BOLUS", "iv_fluid"),
        ("medication", "LIDOCAINE-EPINEPHRINE 1 %", "analgesic"),
        ("other", None, "unclassed"),
    ],
)
def test_order_classes(kind, name, key):
    assert order_class(kind, name) == key


@pytest.mark.parametrize(
    ("kind", "code", "group"),
    [
        ("Dx10", "I509", "heart_failure"),
        ("Dx10", "I10", "hypertension"),
        ("Dx10", "G473", "lung"),
        ("Dx10", "C9000", "cancer"),
        ("Dx9", "4280", "heart_failure"),
        ("Dx9", "25000", "diabetes"),
        ("Dx9", "V5861", "other"),
        ("Dx10", "Z7901", "other"),
        (None, None, "other"),
    ],
)
def test_diagnosis_groups(kind, code, group):
    assert diagnosis_group(kind, code) == group


def test_the_substance_tells_more_than_its_class():
    assert medication_class("aspirin 81 mg", "ASPIRIN 81 MG PO TBEC", "Salicylates", "ANALGESICS") == "antiplatelet"
    assert medication_class(None, "ODD DRUG", None, "ANTICOAGULANTS") == "anticoagulant"
    assert medication_class(None, "ODD DRUG", None, None) == "other"


def test_levels_are_judged_on_the_value_as_shown():
    assert [HEART_RATE.level(value) for value in (39, 50.4, 51, 90.4, 90.6, 110.4, 111)] == [
        "VERY LOW", "LOW", "NORMAL", "NORMAL", "HIGH", "HIGH", "VERY HIGH",
    ]  # fmt: skip
    assert [MEAN_PRESSURE.level(value) for value in (64, 65, 74, 75)] == ["VERY LOW", "LOW", "LOW", "NORMAL"]
    assert [OXYGEN_SATURATION.level(value) for value in (89.4, 90, 94.4, 95, 100)] == [
        "VERY LOW", "LOW", "LOW", "NORMAL", "NORMAL",
    ]  # fmt: skip
    assert TEMPERATURE.level(37.96) == "HIGH"
    assert worst(["NORMAL", "HIGH", "LOW"]) == "LOW"
