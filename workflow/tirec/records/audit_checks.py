"""The questions that the audit asks of the tables: each a condition whose rows are counted."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from tirec.records.schema import VALID_RANGES, Tables


@dataclass(frozen=True)
class Check:
    """A named condition on the rows of a frame; `owner` is the id by which small counts are judged."""

    name: str
    frame: Callable[[Tables], pl.LazyFrame]
    condition: pl.Expr
    owner: str = "csn"


def _visits(tables: Tables) -> pl.LazyFrame:
    return tables.visits


def _labs(tables: Tables) -> pl.LazyFrame:
    return tables.labs


def _repeated_labs(tables: Tables) -> pl.LazyFrame:
    """How often each component of a visit resulted at one instant."""
    return tables.labs.group_by("csn", "component_name", "result_s").agg(times=pl.len())


def _orders(tables: Tables) -> pl.LazyFrame:
    times = tables.visits.select("csn", "dispo_s", "departure_s")
    return tables.orders.join(times, on="csn", how="left")


def _next_visits(tables: Tables) -> pl.LazyFrame:
    """Each visit with the hours from its departure to the same patient's next arrival."""
    arrival = pl.col("arrival_abs_s")
    following = arrival.shift(-1).over("mrn", order_by=[arrival, pl.col("csn")])
    gap = (following - arrival - pl.col("departure_s")) / 3600
    return tables.visits.with_columns(gap.alias("gap"))


def _history(name: str) -> Callable[[Tables], pl.LazyFrame]:
    """Rows of a patient table beside each arrival of the patient."""

    def frame(tables: Tables) -> pl.LazyFrame:
        return getattr(tables, name).join(tables.visits.select("mrn", "arrival_day"), on="mrn")

    return frame


def _mean_pressures(tables: Tables) -> pl.LazyFrame:
    """MAP rows beside the systolic and diastolic rows of the same source and second."""
    moment = ["csn", "source", "time_s"]

    def of(measure: str) -> pl.LazyFrame:
        rows = tables.numerics.filter(pl.col("measure") == measure)
        return rows.select(*moment, pl.col("value").alias(measure)).unique(moment, keep="any")

    return of("MAP").join(of("SBP"), on=moment).join(of("DBP"), on=moment)


def _minutes(tables: Tables) -> pl.LazyFrame:
    """Heart rates of both sources in the same minute of a visit."""
    minute = ["csn", "minute"]
    rates = tables.numerics.filter(pl.col("measure") == "HR").with_columns(minute=pl.col("time_s") // 60)

    def of(source: str, rows: pl.LazyFrame) -> pl.LazyFrame:
        chosen = rows.filter(pl.col("source") == source)
        return chosen.group_by(minute).agg(pl.col("value").mean().alias(source))

    charted = of("Chart", rates)
    # Monitor minutes are a hundred times as many; only those with a charted value are averaged
    return charted.join(of("Monitor", rates.join(charted, on=minute, how="semi")), on=minute)


def _visit(name: str, condition: pl.Expr) -> Check:
    return Check(name, _visits, condition, owner="mrn")


_c = pl.col
_raw_lab = _c("component_value").str.strip_chars()
_triage = {"hr": "HR", "rr": "RR", "spo2": "SpO2", "sbp": "SBP", "dbp": "DBP", "temp_c": "Temp"}
_impossible_triage = pl.any_horizontal(
    ~_c(f"triage_{name}").is_between(*VALID_RANGES[measure]) for name, measure in _triage.items()
)
_map_difference = (_c("MAP") - (_c("SBP") + 2 * _c("DBP")) / 3).abs()

CHECKS: dict[str, tuple[Check, ...]] = {
    "visits": (
        _visit("arrival after year 2261", _c("arrival_abs_s") > 9_214_646_400),
        _visit("no departure time", _c("departure_s").is_null()),
        _visit("departure at or before arrival", _c("departure_s") <= 0),
        _visit("roomed before arrival", _c("roomed_s") < 0),
        _visit("roomed after departure", _c("roomed_s") > _c("departure_s")),
        _visit("decided before arrival", _c("dispo_s") < 0),
        _visit("decided before rooming", _c("dispo_s") < _c("roomed_s")),
        _visit("decided after departure", _c("dispo_s") > _c("departure_s")),
        _visit("admitted before arrival", _c("admit_s") < 0),
        _visit("admission and decision at one instant", _c("admit_s") == _c("dispo_s")),
        _visit(
            "ED_LOS differs from departure minus arrival by over 0.1 h",
            (_c("ed_los") - _c("departure_s") / 3600).abs() > 0.1,
        ),
        _visit("next visit at or before departure", _c("hours_to_next_visit") <= 0),
        Check(
            "Hours_to_next_visit differs from the patient's next row by over 0.1 h",
            _next_visits,
            ((_c("hours_to_next_visit") - _c("gap")).abs() > 0.1)
            | (_c("hours_to_next_visit").is_null() != _c("gap").is_null()),
            owner="mrn",
        ),
        _visit("an impossible triage value, never used", _impossible_triage),
        _visit("Visits counts later visits", _c("visits") > _c("visit_no")),
    ),
    "orders": (
        Check("ordered before arrival", _orders, _c("order_s") < 0),
        Check("ordered after the decision", _orders, _c("order_s") > _c("dispo_s")),
        Check("ordered after departure", _orders, _c("order_s") > _c("departure_s")),
        Check("result before order", _orders, _c("result_s") < _c("order_s")),
        Check("without a result time", _orders, _c("result_s").is_null()),
    ),
    "labs": (
        Check("value is a number", _labs, _c("value").is_not_null()),
        Check("value is text", _labs, _c("value").is_null() & _c("component_value").is_not_null()),
        Check("value has a comparison sign", _labs, _c("sign") != ""),
        Check("value without leading zero", _labs, _raw_lab.str.contains(r"^[<>=+-]*\s*\.")),
        Check("value differs from result", _labs, _raw_lab != _c("component_result").str.strip_chars()),
        Check("one component more than once at one instant", _repeated_labs, _c("times") > 1),
        Check("result before order", _labs, _c("result_s") < _c("order_s")),
        Check("without a result time", _labs, _c("result_s").is_null()),
    ),
    "rads": (
        Check("result before order", lambda tables: tables.rads, _c("result_s") < _c("order_s")),
        Check("without a result time", lambda tables: tables.rads, _c("result_s").is_null()),
    ),
    "numerics": (
        Check("value is 0", lambda tables: tables.numerics, _c("value") == 0),
        Check("MAP within 1 mmHg of (SBP + 2 DBP) / 3", _mean_pressures, _map_difference <= 1),
        Check("Chart and Monitor HR of one minute over 10 apart", _minutes, (_c("Chart") - _c("Monitor")).abs() > 10),
    ),
    "waveform_summary": (),
    "meds": (
        Check("entered on or after an arrival day", _history("meds"), _c("entry_day") >= _c("arrival_day"), "mrn"),
        Check("no entry date", lambda tables: tables.meds, _c("entry_day").is_null(), "mrn"),
    ),
    "pmh": (
        Check("noted on an arrival day", _history("pmh"), _c("noted_day") == _c("arrival_day"), "mrn"),
        Check("noted after an arrival day", _history("pmh"), _c("noted_day") > _c("arrival_day"), "mrn"),
        Check("no noted date", lambda tables: tables.pmh, _c("noted_day").is_null(), "mrn"),
    ),
}
"""Conditions per table, in the order of the audit."""
