"""The eight record tables: which column of which file becomes which typed column, and how the tables are opened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import polars as pl

from tirec.records.columns import Column, TableSpec
from tirec.records.stored import require_columns

VALID_RANGES: dict[str, tuple[float, float]] = {
    "HR": (20.0, 250.0),
    "RR": (2.0, 80.0),
    "SpO2": (50.0, 100.0),
    "SBP": (30.0, 300.0),
    "DBP": (10.0, 200.0),
    "MAP": (20.0, 200.0),
    "Temp": (25.0, 45.0),
    "Perf": (0.0, 30.0),
    "Pain": (0.0, 10.0),
    "LPM_O2": (0.0, 100.0),
    "1min_HRV": (0.0, 1000.0),
    "5min_HRV": (0.0, 1000.0),
}
"""Inclusive physiological band of each measure (cohort rule 6 for HR, SpO2, MAP; Temp in degrees Celsius)."""


def _words(*values: str) -> frozenset[str]:
    return frozenset(values)


DISCHARGE = "Discharge"
ADMITTING = ("Inpatient", "Observation", "ICU")
DISPOSITIONS = _words(DISCHARGE, *ADMITTING)
MEASURES = tuple(VALID_RANGES)
SOURCES = _words("Chart", "Monitor")
_RACES = _words(
    "White",
    "Asian",
    "Black",
    "Black or African American",
    "Other",
    "American Indian or Alaska Native",
    "Native Hawaiian or Other Pacific Islander",
    "Declines to State",
    "Unknown",
)
_ETHNICITIES = _words("Hispanic/Latino", "Non-Hispanic/Non-Latino", "Declines to State", "Unknown")
_ACUITIES = _words("1-Resuscitation", "2-Emergent", "3-Urgent", "4-Semi-Urgent", "5-Non-Urgent")

VISITS = TableSpec(
    "visits",
    (
        Column("CSN", "csn", "id", required=True),
        Column("MRN", "mrn", "id", required=True),
        Column("Visit_no", "visit_no", "count"),
        Column("Visits", "visits", "count"),
        Column("Age", "age", "small"),
        Column("Gender", "gender", "text", known=_words("F", "M", "U"), vocabulary=True),
        Column("Race", "race", "text", known=_RACES, vocabulary=True),
        Column("Ethnicity", "ethnicity", "text", known=_ETHNICITIES, vocabulary=True),
        Column("Means_of_arrival", "means_of_arrival", "text", known=_words("Self", "EMS", "Unknown"), vocabulary=True),
        Column("Triage_Temp", "triage_temp_c", "number32"),
        Column("Triage_HR", "triage_hr", "number32"),
        Column("Triage_RR", "triage_rr", "number32"),
        Column("Triage_SpO2", "triage_spo2", "number32"),
        Column("Triage_SBP", "triage_sbp", "number32"),
        Column("Triage_DBP", "triage_dbp", "number32"),
        Column("Triage_acuity", "triage_acuity", "text", known=_ACUITIES, vocabulary=True),
        Column("CC", "cc", "text"),
        Column("ED_dispo", "ed_dispo", "text", known=DISPOSITIONS, vocabulary=True),
        Column("Hours_to_next_visit", "hours_to_next_visit", "number"),
        Column("Dispo_class_next_visit", "dispo_class_next_visit", "text", known=DISPOSITIONS, vocabulary=True),
        Column("ED_LOS", "ed_los", "number"),
        Column("Hosp_LOS", "hosp_los", "number"),
        Column("DC_dispo", "dc_dispo", "text", vocabulary=True),
        Column("Payor_class", "payor_class", "text", vocabulary=True),
        Column("Admit_service", "admit_service", "text", vocabulary=True),
        Column("Dx_ICD9", "dx_icd9", "text"),
        Column("Dx_ICD10", "dx_icd10", "text"),
        Column("Dx_name", "dx_name", "text"),
        Column("Arrival_time", "arrival_abs_s", "instant", required=True),
        Column("Arrival_time", "arrival_day", "day"),
        Column("Roomed_time", "roomed_s", "seconds"),
        Column("Dispo_time", "dispo_s", "seconds"),
        Column("Admit_time", "admit_s", "seconds"),
        Column("Departure_time", "departure_s", "seconds"),
    ),
    owner="csn",
    order=("csn",),
)
ORDERS = TableSpec(
    "orders",
    (
        Column("CSN", "csn", "id", required=True),
        Column("Order_time", "order_s", "seconds"),
        Column("Order_type", "order_type", "text", vocabulary=True),
        Column("Procedure_name", "procedure_name", "text"),
        Column("Procedure_ID", "procedure_id", "text"),
        Column("First_admin_time", "first_admin_s", "seconds"),
        Column("Result_time", "result_s", "seconds"),
    ),
    owner="csn",
    order=("csn", "order_s"),
    later={"first_admin_s": "earliest", "result_s": "earliest"},
)
LABS = TableSpec(
    "labs",
    (
        Column("CSN", "csn", "id", required=True),
        Column("Order_time", "order_s", "seconds"),
        Column("Result_time", "result_s", "seconds"),
        Column("Display_name", "display_name", "text"),
        Column("Abnormal", "abnormal", "text", vocabulary=True),
        Column("Component_name", "component_name", "text"),
        Column("Component_result", "component_result", "raw"),
        Column("Component_value", "component_value", "raw"),
        Column("Component_units", "component_units", "text"),
        Column("Component_abnormal", "component_abnormal", "text", vocabulary=True),
        Column("Component_nml_low", "nml_low", "number"),
        Column("Component_nml_high", "nml_high", "number"),
    ),
    owner="csn",
    order=("csn", "result_s"),
    later={"abnormal": "last"},
)
RADS = TableSpec(
    "rads",
    (
        Column("CSN", "csn", "id", required=True),
        Column("Order_time", "order_s", "seconds"),
        Column("Result_time", "result_s", "seconds"),
        Column("Study", "study", "text"),
        Column("Impression", "impression", "raw"),
    ),
    owner="csn",
    order=("csn", "result_s"),
)
NUMERICS = TableSpec(
    "numerics",
    (
        Column("CSN", "csn", "id", required=True),
        Column("Source", "source", "category", required=True, known=SOURCES, vocabulary=True),
        Column("Measure", "measure", "category", required=True, known=frozenset(MEASURES), vocabulary=True),
        Column("Value", "value", "number32", required=True),
        Column("Time", "time_s", "seconds", required=True),
    ),
    owner="csn",
    order=("csn", "time_s"),
)
WAVEFORM_SUMMARY = TableSpec(
    "waveform_summary",
    (
        Column("CSN", "csn", "id", required=True),
        Column("Type", "type", "text", known=_words("II", "Pleth", "Resp"), vocabulary=True),
        Column("Segments", "segments", "count"),
        Column("Duration", "duration", "number"),
    ),
    owner="csn",
    order=("csn", "type"),
)
MEDS = TableSpec(
    "meds",
    (
        Column("MRN", "mrn", "id", required=True),
        Column("Med_ID", "med_id", "id"),
        Column("NDC", "ndc", "text"),
        Column("Name", "name", "text"),
        Column("Generic_name", "generic_name", "text"),
        Column("Med_class", "med_class", "text"),
        Column("Med_subclass", "med_subclass", "text"),
        Column("Active", "active", "text", vocabulary=True),
        Column("Entry_date", "entry_day", "day"),
        Column("Start_date", "start_day", "day"),
        Column("End_date", "end_day", "day"),
    ),
    owner="mrn",
    order=("mrn", "entry_day"),
    later={"active": "last", "end_day": "open"},
)
PMH = TableSpec(
    "pmh",
    (
        Column("MRN", "mrn", "id", required=True),
        Column("Noted_date", "noted_day", "day"),
        Column("CodeType", "code_type", "text", known=_words("Dx9", "Dx10"), vocabulary=True),
        Column("Code", "code", "text"),
        Column("Desc10", "desc10", "text"),
        Column("CCS", "ccs", "number"),
        Column("DescCCS", "desc_ccs", "text"),
    ),
    owner="mrn",
    order=("mrn", "noted_day"),
)

SPECS: dict[str, TableSpec] = {
    spec.name: spec for spec in (VISITS, ORDERS, LABS, RADS, NUMERICS, WAVEFORM_SUMMARY, MEDS, PMH)
}
"""The eight tables by name, visits first because every other table needs its arrivals."""


@dataclass(frozen=True)
class Tables:
    """The eight record tables, opened lazily; the columns are those of `SPECS`."""

    visits: pl.LazyFrame
    orders: pl.LazyFrame
    labs: pl.LazyFrame
    rads: pl.LazyFrame
    numerics: pl.LazyFrame
    waveform_summary: pl.LazyFrame
    meds: pl.LazyFrame
    pmh: pl.LazyFrame

    @classmethod
    def open(cls, directory: Path | str) -> "Tables":
        """Opens `directory/<table>.parquet`; a missing or damaged table is a DataError."""
        return cls(**{name: _scan(Path(directory) / f"{name}.parquet", spec) for name, spec in SPECS.items()})

    @classmethod
    def of(cls, frames: Mapping[str, pl.DataFrame]) -> "Tables":
        """Tables held in memory, for a few visits; a table that is not given has no rows."""
        return cls(**{name: frames.get(name, spec.empty()).lazy() for name, spec in SPECS.items()})

    def for_visits(self, csns: Iterable[int]) -> "Tables":
        """The rows of these visits and of their patients, collected.

        `visits` keeps every visit of these patients, because earlier visits are evidence too.
        """
        chosen = pl.Series("csn", list(csns), dtype=pl.Int64).unique().sort()
        patients = self.visits.filter(_within("csn", chosen)).select("mrn").collect()["mrn"].unique().sort()
        frames = {"visits": self.visits.filter(_within("mrn", patients)).collect()}
        for name, spec in list(SPECS.items())[1:]:
            keys = chosen if spec.owner == "csn" else patients
            frames[name] = getattr(self, name).filter(_within(spec.owner, keys)).collect()
        return Tables.of(frames)

    def collect(self) -> dict[str, pl.DataFrame]:
        """Every table in memory, by name."""
        return {table.name: getattr(self, table.name).collect() for table in fields(self)}


def _scan(path: Path, spec: TableSpec) -> pl.LazyFrame:
    require_columns(path, spec.schema)
    return pl.scan_parquet(path)


def _within(column: str, keys: pl.Series) -> pl.Expr:
    """Membership, with the bounds said apart so that Parquet row groups outside them are never read."""
    if keys.is_empty():
        return pl.lit(False)
    return pl.col(column).is_between(keys.min(), keys.max()) & pl.col(column).is_in(keys.implode())
