"""The five vital-sign summaries: what was measured, where it stands, where it is going."""

from collections.abc import Iterator
from functools import reduce

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Describe, Row, Text, rows_of, source_rows
from tirec.evidence.menu import MENU
from tirec.evidence.segments import statistics
from tirec.evidence.vocabulary.vitals import (
    DIASTOLIC,
    HEART_RATE,
    MEAN_PRESSURE,
    NO_LIMIT,
    OXYGEN_SATURATION,
    PRESSURES,
    RESPIRATORY_RATE,
    SYSTOLIC,
    TEMPERATURE,
    Vital,
    worst,
)
from tirec.evidence.window import Evidence
from tirec.evidence.wording import known, minutes, number, whole

NO_READING = "NONE: no reading by the cutoff"
ROWS = ("row_last", "row_first", "row_min", "row_max")


def readings(evidence: Evidence, measure: str) -> pl.DataFrame:
    """Valid readings of one measure, by case, oldest first."""
    return evidence.numerics.filter(pl.col("measure") == measure)


def measured(evidence: Evidence, vital: Vital, prefix: str = "") -> pl.DataFrame:
    """All statistics of one vital sign; with a triage value also the latest reading's change from it."""
    found = statistics(readings(evidence, vital.measure), vital.low, vital.high)
    if vital.triage:
        arrival = evidence.visit.select("evidence_id", arrival=pl.col(vital.triage))
        found = found.join(arrival, on="evidence_id", how="left", maintain_order="left")
        found = found.with_columns((pl.col("last") - pl.col("arrival")).alias("from_triage")).drop("arrival")
    return found.rename({name: _named(name, prefix) for name in found.columns if name != "evidence_id"})


def _named(name: str, prefix: str) -> str:
    if name.startswith("row_"):
        return f"row_{prefix}{name.removeprefix('row_')}"
    return f"{prefix}{name}"


def few(evidence: Evidence, measure: str, prefix: str, kept: tuple[str, ...]) -> pl.DataFrame:
    """Chosen statistics of a supporting measure, and `row_<prefix>_last`."""
    found = statistics(readings(evidence, measure), -1.0, float("inf"))
    named = (pl.col(name).alias(_named(name, f"{prefix}_")) for name in (*kept, "row_last"))
    return found.select("evidence_id", *named)


def together(evidence: Evidence, frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Frames of features side by side, one row per case."""
    return reduce(lambda left, right: left.join(right, on="evidence_id", how="left"), frames, evidence.ids)


def _heart_rate(evidence: Evidence) -> pl.DataFrame:
    return together(
        evidence,
        [
            measured(evidence, HEART_RATE),
            few(evidence, "1min_HRV", "hrv_1min", ("last", "mean")),
            few(evidence, "5min_HRV", "hrv_5min", ("last",)),
            few(evidence, "Perf", "perfusion", ("last", "mean", "min")),
        ],
    )


def _blood_pressure(evidence: Evidence) -> pl.DataFrame:
    return together(evidence, [measured(evidence, vital, f"{vital.key}_") for vital in PRESSURES])


def _oxygen_saturation(evidence: Evidence) -> pl.DataFrame:
    oxygen = few(evidence, "LPM_O2", "o2_flow", ("last", "max", "since_min"))
    return together(evidence, [measured(evidence, OXYGEN_SATURATION), oxygen])


def _respiratory_rate(evidence: Evidence) -> pl.DataFrame:
    return measured(evidence, RESPIRATORY_RATE)


def _temperature(evidence: Evidence) -> pl.DataFrame:
    return measured(evidence, TEMPERATURE)


def level_and_trend(vital: Vital, row: Row, prefix: str = "", level: str | None = None) -> str:
    """`HIGH, rising`; the trend is left out where the readings span too little time to have one."""
    level = level or vital.level(row[f"{prefix}last"])
    change = row[f"{prefix}change"]
    return f"{level}, {vital.trend(change)}" if known(change) else level


def range_line(vital: Vital, row: Row, prefix: str = "") -> str:
    """Where the readings lay: first, range, mean, count, time since the last."""
    name = vital.label[0].upper() + vital.label[1:]
    since = minutes(row[f"{prefix}since_min"])
    if row[f"{prefix}count"] == 1:
        return f"{name}: 1 reading, {since} before the cutoff."
    first, low, high, mean = (
        number(row[f"{prefix}{name}"], vital.decimals) for name in ("first", "min", "max", "mean")
    )
    n = whole(row[f"{prefix}count"])
    shown = f"first {first}, range {low}-{high}, mean {mean} {vital.unit}"
    return f"{name}: {n} readings, {shown}; last {since} before the cutoff."


def course_line(vital: Vital, row: Row, prefix: str = "") -> str:
    """How fast it changes, how often it was out of its band, what it was at triage."""
    parts = []
    slope = row[f"{prefix}slope"]
    if known(slope):
        parts.append(f"slope {'+' if slope >= 0 else ''}{number(slope, 1)} {vital.unit} per hour")
    share = number(100 * row[f"{prefix}share_abnormal"])
    parts.append(f"{share} % of readings {_out_of_band(vital)}")
    change = row.get(f"{prefix}from_triage", float("nan"))
    if known(change):
        parts.append(f"at triage {number(row[f'{prefix}last'] - change, vital.decimals)} {vital.unit}")
    return _sentence(parts)


def _out_of_band(vital: Vital) -> str:
    low, high = number(vital.low, vital.decimals), number(vital.high, vital.decimals)
    return f"below {low} {vital.unit}" if vital.very_high == NO_LIMIT else f"outside {low}-{high} {vital.unit}"


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _absent(vital: Vital, arrival: float | None) -> Text:
    if not known(arrival):
        return Text(NO_READING)
    shown = f"{number(arrival, vital.decimals)} {vital.unit} ({vital.level(arrival)})"
    return Text(NO_READING, (f"At triage {shown}.",))


def one_vital(vital: Vital, extra: tuple[tuple[str, str], ...] = ()) -> Describe:
    """The text of a function about one vital sign; `extra` are columns with `{}` texts, said when observed."""

    def describe(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
        for row, visit in zip(rows_of(columns), rows_of(evidence.visit), strict=True):
            arrival = visit[vital.triage] if vital.triage else None
            said = [(name, text) for name, text in extra if known(row[name])]
            more = tuple(text.format(number(row[name], 1)) for name, text in said)
            rows = source_rows(*(row[name] for name in ROWS), *(row[f"row_{name}"] for name, _ in said))
            yield _one_vital(vital, row, arrival, more)._replace(
                rows=rows, further_rows=_arrival_row(visit, known(arrival))
            )

    return describe


def _one_vital(vital: Vital, row: Row, arrival: float | None, more: tuple[str, ...]) -> Text:
    if not known(row["last"]):
        absent = _absent(vital, arrival)
        return absent._replace(lines=(*absent.lines, *more))
    headline = f"{level_and_trend(vital, row)}: {number(row['last'], vital.decimals)} {vital.unit}"
    return Text(headline, (range_line(vital, row), course_line(vital, row), *more))


def _arrival_row(visit: Row, measured_at_triage: bool) -> dict[str, tuple[int, ...]]:
    """The visit's own row, where the text says a triage value."""
    return {"visits": (visit["row"],)} if measured_at_triage else {}


def _describe_pressure(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    for row, arrival in zip(rows_of(columns), rows_of(evidence.visit), strict=True):
        at_triage = known(arrival["triage_sbp"]) or known(arrival["triage_dbp"])
        yield _pressure(row, arrival)._replace(further_rows=_arrival_row(arrival, at_triage))


def _pressure(row: Row, arrival: Row) -> Text:
    present = [vital for vital in PRESSURES if known(row[f"{vital.key}_last"])]
    if not present:
        return _absent_pressure(arrival)
    # Diastolic alone makes no level: it moves with the cuff's errors more than with the patient.
    judged = [vital for vital in present if vital is not DIASTOLIC] or present
    leading = next((vital for vital in (MEAN_PRESSURE, SYSTOLIC) if vital in present), present[0])
    level = worst([vital.level(row[f"{vital.key}_last"]) for vital in judged])
    words = level_and_trend(leading, row, f"{leading.key}_", level)
    lines = [range_line(vital, row, f"{vital.key}_") for vital in present]
    lines.append(course_line(leading, row, f"{leading.key}_"))
    if known(arrival["triage_sbp"]) and known(arrival["triage_dbp"]):
        lines.append(f"At triage {_cuff(arrival['triage_sbp'], arrival['triage_dbp'])} mmHg.")
    rows = (row[f"row_{vital.key}_{name[4:]}"] for vital in present for name in ROWS)
    return Text(f"{words}: {_shown_pressure(row)}", tuple(lines), source_rows(*rows))


def _cuff(systolic: float | None, diastolic: float | None) -> str:
    shown = (number(value) if known(value) else "?" for value in (systolic, diastolic))
    return "/".join(shown)


def _shown_pressure(row: Row) -> str:
    cuff = _cuff(row["sbp_last"], row["dbp_last"])
    shown = [] if cuff == "?/?" else [f"{cuff} mmHg"]
    if known(row["map_last"]):
        shown.append(f"MAP {number(row['map_last'])}" + ("" if shown else " mmHg"))
    return ", ".join(shown)


def _absent_pressure(arrival: Row) -> Text:
    if not (known(arrival["triage_sbp"]) or known(arrival["triage_dbp"])):
        return Text(NO_READING)
    level = f" ({SYSTOLIC.level(arrival['triage_sbp'])})" if known(arrival["triage_sbp"]) else ""
    cuff = _cuff(arrival["triage_sbp"], arrival["triage_dbp"])
    return Text(NO_READING, (f"At triage {cuff} mmHg{level}.",))


FUNCTIONS = (
    ClinicalFunction(
        MENU["heart_rate"],
        "numerics",
        _heart_rate,
        one_vital(
            HEART_RATE,
            (
                ("hrv_1min_last", "Heart rate variability (1 min) {} ms."),
                ("hrv_5min_last", "Heart rate variability (5 min) {} ms."),
                ("perfusion_last", "Perfusion index {}."),
            ),
        ),
        further_tables=("visits",),
    ),
    ClinicalFunction(
        MENU["blood_pressure"],
        "numerics",
        _blood_pressure,
        _describe_pressure,
        further_tables=("visits",),
    ),
    ClinicalFunction(
        MENU["oxygen_saturation"],
        "numerics",
        _oxygen_saturation,
        one_vital(OXYGEN_SATURATION, (("o2_flow_last", "Supplemental oxygen {} L/min."),)),
        further_tables=("visits",),
    ),
    ClinicalFunction(
        MENU["respiratory_rate"],
        "numerics",
        _respiratory_rate,
        one_vital(RESPIRATORY_RATE),
        further_tables=("visits",),
    ),
    ClinicalFunction(
        MENU["temperature"],
        "numerics",
        _temperature,
        one_vital(TEMPERATURE),
        further_tables=("visits",),
    ),
)
