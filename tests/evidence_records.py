"""Small records for evidence tests: tables from plain rows, and a random emergency department with everything in it."""

import numpy as np
import polars as pl

from tirec.records.schema import SPECS, Tables

ARRIVAL_DAY = 115_000
ARRIVAL_S = ARRIVAL_DAY * 86_400 + 40_000
OUTCOMES = (
    "visit_no",
    "visits",
    "race",
    "ethnicity",
    "ed_dispo",
    "hours_to_next_visit",
    "dispo_class_next_visit",
    "ed_los",
    "hosp_los",
    "dc_dispo",
    "payor_class",
    "admit_service",
    "dx_icd9",
    "dx_icd10",
    "dx_name",
    "roomed_s",
    "dispo_s",
    "admit_s",
    "departure_s",
)
"""Columns of a visit that its own evidence never shows."""


def table(name, rows):
    """A record table from dictionaries; missing columns are null, rows are numbered from 1 unless they say."""
    spec = SPECS[name]
    whole = [dict.fromkeys(spec.schema) | {"row": number} | row for number, row in enumerate(rows, 1)]
    return pl.DataFrame(whole, schema=spec.schema, orient="row").sort(*spec.order, "row", nulls_last=False)


def tables(**rows):
    """Tables from lists of dictionaries by table name."""
    return Tables.of({name: table(name, listed) for name, listed in rows.items()})


def visit(csn=1, mrn=1, **values):
    """A visit that arrived on the default day."""
    plain = {"csn": csn, "mrn": mrn, "arrival_abs_s": ARRIVAL_S, "arrival_day": ARRIVAL_DAY, "departure_s": 20_000}
    return plain | values


def cutoff(csn=1, mrn=1, at=3600, evidence_id=0):
    """One case."""
    return pl.DataFrame({"evidence_id": [evidence_id], "csn": [csn], "mrn": [mrn], "cutoff_s": [at]})


WORDS = (
    "CHEST PAIN",
    "FALL",
    "FEVER,COUGH",
    "ABDOMINAL PAIN",
    " syncope ,FALL",
    "",
    None,
    "A\u200bB\tC\nD",
    "</tool_response>",
)
ORDER_NAMES = (
    "CBC WITH DIFFERENTIAL",
    "TROPONIN I",
    "LACTATE, WHOLE BLOOD",
    "CT HEAD WITHOUT CONTRAST",
    "XR CHEST 1 VIEW",
    "LR IV BOLUS - 1000 ML",
    "CEFTRIAXONE 1 G INJ",
    "ADMIT TO INPATIENT",
    "TRANSFERRIN",
    "ED DISCHARGE",
    "ECG 12-LEAD",
    None,
)
ORDER_TYPES = ("Lab", "LAB", "Imaging", "Medication", "Nursing", None)
COMPONENTS = ("SODIUM", "POTASSIUM", "LACTATE", "HEMOGLOBIN (HGB)", "TROPONIN I", "SARS-COV-2 RNA", "ODD TEST", None)
RESULTS = ("NEG", "Not Detected", "POSITIVE", "see\nnote", ".93", None)
IMPRESSIONS = (
    "1. No acute disease.",
    "Acute subdural hemorrhage.\n2. No fracture.",
    "Pneumonia in the left base.",
    None,
)
CODES = (("Dx10", "I10"), ("Dx10", "I509"), ("Dx9", "4280"), ("Dx10", "C189"), (None, None))
MEDICATIONS = ("ASPIRIN 81 MG PO TBEC", "APIXABAN 5 MG PO TABS", "INSULIN GLARGINE", "ODD DRUG", None)
MEASURES = ("HR", "RR", "SpO2", "SBP", "DBP", "MAP", "Temp", "Perf", "Pain", "LPM_O2", "1min_HRV", "5min_HRV")
USUAL = {
    "HR": 90,
    "RR": 18,
    "SpO2": 95,
    "SBP": 120,
    "DBP": 70,
    "MAP": 85,
    "Temp": 99,
    "Perf": 1,
    "Pain": 5,
    "LPM_O2": 3,
}


class RandomDepartment:
    """Random rows of every table; stamps fall on the cutoff and one second beside it more often than chance."""

    def __init__(self, seed, cutoff_s=3600):
        self.draw = np.random.default_rng(seed)
        self.cutoff_s = cutoff_s

    def one(self, options):
        return options[int(self.draw.integers(len(options)))]

    def maybe(self, value, share=0.8):
        return value if self.draw.random() < share else None

    def stamp(self, low=-600, high=9_000):
        near = (self.cutoff_s - 1, self.cutoff_s, self.cutoff_s + 1)
        return int(self.one(near)) if self.draw.random() < 0.2 else int(self.draw.integers(low, high))

    def number(self, low, high):
        return float(np.round(self.draw.uniform(low, high), 2))

    def visit(self, csn, mrn, start):
        return self.outcomes() | {
            "csn": csn,
            "mrn": mrn,
            "age": self.maybe(int(self.draw.integers(18, 91))),
            "gender": self.one(("F", "M", "U", None)),
            "means_of_arrival": self.one(("EMS", "Self", None)),
            "triage_hr": self.maybe(self.number(0, 150)),
            "triage_rr": self.maybe(self.number(8, 30)),
            "triage_spo2": self.maybe(self.number(45, 100)),
            "triage_sbp": self.maybe(self.number(60, 200)),
            "triage_dbp": self.maybe(self.number(30, 110)),
            "triage_temp_c": self.maybe(self.number(20, 42)),
            "triage_acuity": self.one(("1-Resuscitation", "2-Emergent", "3-Urgent", None)),
            "cc": self.one(WORDS),
            "arrival_abs_s": start,
            "arrival_day": start // 86_400,
            "departure_s": int(self.draw.integers(4_000, 30_000)),
        }

    def outcomes(self):
        """Random values of everything that a visit's own evidence never shows."""
        text = {name: self.one(("x", "y", None)) for name in OUTCOMES if not name.endswith(("_s", "los", "visit"))}
        numbers = {name: self.maybe(self.number(-5, 400)) for name in ("hours_to_next_visit", "ed_los", "hosp_los")}
        stamps = {name: self.maybe(self.stamp()) for name in ("roomed_s", "dispo_s", "admit_s")}
        dispositions = {name: self.one(("Discharge", "ICU", None)) for name in ("ed_dispo", "dispo_class_next_visit")}
        counts = {name: int(self.draw.integers(1, 9)) for name in ("visit_no", "visits")}
        return text | numbers | stamps | dispositions | counts | {"departure_s": int(self.draw.integers(1, 30_000))}

    def numeric(self, csn):
        measure = self.one(MEASURES)
        usual = USUAL.get(measure, 30)
        value = self.one(
            (0.0, usual * 3.0, self.number(usual * 0.7, usual * 1.3), self.number(usual * 0.7, usual * 1.3))
        )
        source = self.one(("Monitor", "Monitor", "Chart"))
        return {"csn": csn, "source": source, "measure": measure, "value": value, "time_s": self.stamp(0)}

    def order(self, csn):
        return {
            "csn": csn,
            "order_s": self.maybe(self.stamp(), 0.95),
            "order_type": self.one(ORDER_TYPES),
            "procedure_name": self.one(ORDER_NAMES),
            "first_admin_s": self.maybe(self.stamp(), 0.4),
            "result_s": self.maybe(self.stamp(), 0.6),
        }

    def lab(self, csn):
        value = self.maybe(self.number(0, 12))
        low = self.maybe(self.number(0, 5), 0.7)
        return {
            "csn": csn,
            "order_s": self.stamp(),
            "result_s": self.maybe(self.stamp(), 0.9),
            "display_name": self.one(("CBC", "BMP", None)),
            "abnormal": self.one(("Abnormal", None)),
            "component_name": self.one(COMPONENTS),
            "component_result": self.one(RESULTS) if value is None else str(value),
            "component_value": None if value is None else str(value),
            "value": value,
            "sign": None if value is None else self.one(("", "", "<", ">")),
            "component_units": self.one(("mmol/L", None)),
            "component_abnormal": self.one(("Normal", "Abnormal", "High", "Low Panic", None)),
            "nml_low": low,
            "nml_high": None if low is None else low + 3,
        }

    def rad(self, csn):
        study = self.one(("CT HEAD WITHOUT CONTRAST", "XR CHEST 1 VIEW", None))
        return {
            "csn": csn,
            "order_s": self.stamp(),
            "result_s": self.maybe(self.stamp(), 0.9),
            "study": study,
            "impression": self.one(IMPRESSIONS),
        }

    def past_day(self):
        return self.maybe(ARRIVAL_DAY + int(self.one((-900, -30, -2, -1, 0, 1, 5))), 0.9)

    def med(self, mrn):
        days = {name: self.past_day() for name in ("entry_day", "start_day")}
        name = self.one(MEDICATIONS)
        return {
            "mrn": mrn,
            "name": name,
            "active": self.one(("Y", "N", None)),
            "end_day": self.maybe(self.past_day(), 0.4),
            **days,
        }

    def diagnosis(self, mrn):
        kind, code = self.one(CODES)
        return {
            "mrn": mrn,
            "noted_day": self.past_day(),
            "code_type": kind,
            "code": code,
            "desc10": self.one(("Flu", None)),
        }

    def waveform(self, csn):
        return {"csn": csn, "type": self.one(("II", "Pleth", "Resp")), "segments": 2, "duration": self.number(0, 9000)}

    def rows(self, visits=5, patients=3, children=30):
        """Rows of all tables by name."""
        found = {name: [] for name in SPECS}
        for csn in range(1, visits + 1):
            mrn = 1 if csn <= 3 else int(self.draw.integers(1, patients + 1))
            start = ARRIVAL_S if csn == 1 else ARRIVAL_S + int(self.draw.integers(-40, 40)) * 43_200
            found["visits"].append(self.visit(csn, mrn, start))
            for _ in range(int(self.draw.integers(0, children))):
                found["numerics"].extend(self.numeric(csn) for _ in range(3))
                for name, make in (("orders", self.order), ("labs", self.lab), ("rads", self.rad)):
                    if self.draw.random() < 0.5:
                        found[name].append(make(csn))
            found["waveform_summary"].append(self.waveform(csn))
        for mrn in range(1, patients + 1):
            found["meds"].extend(self.med(mrn) for _ in range(int(self.draw.integers(0, 6))))
            found["pmh"].extend(self.diagnosis(mrn) for _ in range(int(self.draw.integers(0, 6))))
        for listed in found.values():
            for number, row in enumerate(listed, 1):
                row["row"] = number
        return found
