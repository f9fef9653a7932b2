"""The files of an MC-MED folder: their headers, and how times and blanks are written."""

import polars as pl

STAMP = "%Y-%m-%dT%H:%M:%SZ"
HEADERS: dict[str, tuple[str, ...]] = {
    "visits": (
        *("MRN", "CSN", "Visit_no", "Visits", "Age", "Gender", "Race", "Ethnicity", "Means_of_arrival"),
        *("Triage_Temp", "Triage_HR", "Triage_RR", "Triage_SpO2", "Triage_SBP", "Triage_DBP", "Triage_acuity", "CC"),
        *("ED_dispo", "Hours_to_next_visit", "Dispo_class_next_visit", "ED_LOS", "Hosp_LOS", "DC_dispo"),
        *("Payor_class", "Admit_service", "Dx_ICD9", "Dx_ICD10", "Dx_name"),
        *("Arrival_time", "Roomed_time", "Dispo_time", "Admit_time", "Departure_time"),
    ),
    "orders": ("CSN", "Order_time", "Order_type", "Procedure_name", "Procedure_ID", "First_admin_time", "Result_time"),
    "labs": (
        *("CSN", "Order_time", "Result_time", "Display_name", "Abnormal", "Component_name", "Component_result"),
        *("Component_value", "Component_units", "Component_abnormal", "Component_nml_low", "Component_nml_high"),
    ),
    "rads": ("CSN", "Order_time", "Result_time", "Study", "Impression"),
    "numerics": ("CSN", "Source", "Measure", "Value", "Time"),
    "waveform_summary": ("CSN", "Type", "Segments", "Duration"),
    "meds": (
        *("MRN", "Med_ID", "NDC", "Name", "Generic_name", "Med_class", "Med_subclass", "Active"),
        *("Entry_date", "Start_date", "End_date"),
    ),
    "pmh": ("MRN", "Noted_date", "CodeType", "Code", "Desc10", "CCS", "DescCCS"),
}
SPLITS = tuple(f"split_{kind}_{part}" for kind in ("chrono", "random") for part in ("train", "val", "test"))


def instant(seconds: pl.Expr) -> pl.Expr:
    """A time that is written to the second, from seconds since 1970."""
    return (seconds * 1000).cast(pl.Datetime("ms"))


def midnight(day: str) -> pl.Expr:
    """A date that is written as its midnight, from days since 1970."""
    return instant(pl.col(day).cast(pl.Int64) * 86400)


def of_visits(rows: pl.DataFrame, story: pl.DataFrame, times: dict[str, str]) -> pl.DataFrame:
    """Adds CSN and the named times to rows that have `visit` and seconds from arrival, sorted by visit and time."""
    arrival = story["arrival_abs_s"].gather(rows["visit"])
    stamped = rows.with_columns(
        CSN=story["CSN"].gather(rows["visit"]),
        **{name: instant(arrival + pl.col(column)) for name, column in times.items()},
    )
    return stamped.sort("visit", next(iter(times.values())), maintain_order=True)


def in_format(rows: pl.DataFrame, table: str) -> pl.DataFrame:
    """The columns of a table in their order, empty texts as blanks."""
    return rows.select(HEADERS[table]).with_columns(pl.col(pl.String).replace("", None))
