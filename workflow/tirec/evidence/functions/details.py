"""The six details: single readings, results, orders, reports, diagnoses and medications, the most telling first."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import polars as pl

from tirec.evidence.functions import history, imaging, labs, orders
from tirec.evidence.functions.function import ClinicalFunction, Row, Text, lists_of, no_features, rows_in
from tirec.evidence.menu import MENU
from tirec.evidence.vocabulary.history import DIAGNOSIS_LABELS, MEDICATION_LABELS
from tirec.evidence.vocabulary.vitals import VITALS, Vital, worst
from tirec.evidence.window import Evidence
from tirec.evidence.wording import amount, count_of, days, minutes, number, shorten

MOST_LINES = 80
"""Lines offered to a text; a cap of 700 tokens never holds more."""
LAST_READINGS = 3
READINGS_SHOWN = 10
LONGEST_CODE, LONGEST_NAME, LONGEST_REPORT = 12, 70, 900
_VITAL_BY_MEASURE = {vital.measure: vital for vital in VITALS}


def _listed(headline: str, rows: Sequence[Row], lines: Sequence[str]) -> Text:
    """A text whose lines stand for rows, one each; rows beyond the lines are counted."""
    shown = tuple(lines[:MOST_LINES])
    return Text(headline, shown, (), len(rows) - len(shown), tuple((row["row"],) for row in rows[:MOST_LINES]))


def _vital_features(evidence: Evidence) -> pl.DataFrame:
    """The last three readings of each vital sign (1 = latest) and their minutes before the cutoff."""
    found = evidence.ids
    for vital in VITALS:
        rows = evidence.numerics.filter(pl.col("measure") == vital.measure)
        newest_first = pl.int_range(pl.len(), 0, -1).over("evidence_id")
        last = rows.with_columns(nth=newest_first).filter(pl.col("nth") <= LAST_READINGS)
        values = last.group_by("evidence_id").agg(
            **{f"{vital.key}_{n}": _nth("value", n) for n in range(1, LAST_READINGS + 1)},
            **{f"{vital.key}_{n}_min": _nth("before_s", n) / 60 for n in range(1, LAST_READINGS + 1)},
        )
        found = found.join(values, on="evidence_id", how="left")
    return found


def _nth(column: str, n: int) -> pl.Expr:
    return pl.col(column).filter(pl.col("nth") == n).first()


def _describe_vital_values(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    shown = evidence.numerics.filter(pl.col("measure").is_in(list(_VITAL_BY_MEASURE)))
    of_vital = ("evidence_id", "measure")
    ranked = shown.with_columns(nth=pl.int_range(pl.len(), 0, -1).over(of_vital), readings=pl.len().over(of_vital))
    newest = ranked.filter(pl.col("nth") <= READINGS_SHOWN).sort("evidence_id", "measure", "nth")
    for readings in lists_of(evidence, newest):
        yield _vital_values(readings)


def _vital_values(readings: list[Row]) -> Text:
    if not readings:
        return Text("NONE: no vital sign by the cutoff")
    by_vital = [(_VITAL_BY_MEASURE[key], list(rows)) for key, rows in groupby(readings, key=itemgetter("measure"))]
    by_vital.sort(key=lambda pair: pair[0].level(pair[1][0]["value"]) == "NORMAL")
    levels = [vital.level(rows[0]["value"]) for vital, rows in by_vital]
    abnormal = sum(level != "NORMAL" for level in levels)
    headline = f"{worst(levels)}: latest of {abnormal} of {count_of(len(levels), 'vital sign')} abnormal"
    lines = tuple(_readings_line(vital, rows) for vital, rows in by_vital)
    unsaid = sum(rows[0]["readings"] - len(rows) for _, rows in by_vital)
    return Text(headline, lines, (), unsaid, tuple(tuple(row["row"] for row in rows) for _, rows in by_vital))


def _readings_line(vital: Vital, rows: list[Row]) -> str:
    """Latest readings, newest first, with minutes before the cutoff."""
    shown = [f"{number(row['value'], vital.decimals)} ({number(row['before_s'] / 60)})" for row in rows]
    level = vital.level(rows[0]["value"])
    return f"{vital.label}, {vital.unit} (min before the cutoff), {level}: {', '.join(shown)}"


def _describe_lab_values(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    waiting = lists_of(evidence, labs.pending(evidence))
    for results, pending in zip(lists_of(evidence, labs.judged(evidence.labs)), waiting, strict=True):
        text = _lab_values(sorted(results, key=labs.urgency), len(pending))
        yield text._replace(further_rows={"orders": rows_in(pending)})


def _lab_values(results: list[Row], pending: int) -> Text:
    waiting = f"{count_of(pending, 'order')} pending"
    if not results:
        return Text(f"PENDING: no result by the cutoff; {waiting}" if pending else "NONE: no lab result by the cutoff")
    ranks = [labs.urgency(row)[0] for row in results]
    level = {0: "CRITICAL", 1: "ABNORMAL"}.get(min(ranks), "NORMAL")
    bad = sum(rank < 2 for rank in ranks)
    lines = [f"{labs.result(row, limits=True)}, {_ago(row)}" for row in results[:MOST_LINES]]
    return _listed(f"{level}: {count_of(len(results), 'result')}, {bad} abnormal; {waiting}", results, lines)


def _ago(row: Row) -> str:
    return f"{minutes(row['before_s'] / 60)} before the cutoff"


def _describe_orders(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    newest = evidence.orders.sort("evidence_id", "before_s", "row")
    for rows in lists_of(evidence, newest):
        yield _order_list(rows)


def _order_list(rows: list[Row]) -> Text:
    if not rows:
        return Text("NONE: no order by the cutoff")
    lines = [
        f"{_ago(row)}: {shorten(row['procedure_name'] or 'unnamed order', LONGEST_NAME)} ({row['kind']}, "
        f"{orders.awaited(row['kind'], row['resulted'], row['given'])})"
        for row in rows[:MOST_LINES]
    ]
    level = amount(len(rows), orders.FEW, orders.SOME)
    return _listed(f"{level}: {count_of(len(rows), 'order')}, newest first", rows, lines)


def _describe_reports(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    done = lists_of(evidence, imaging.read(evidence.rads))
    waiting = lists_of(evidence, imaging.pending(evidence))
    for reports, pending in zip(done, waiting, strict=True):
        text = _reports(sorted(reports, key=imaging.urgency), len(pending))
        yield text._replace(further_rows={"orders": rows_in(pending)})


def _reports(reports: list[Row], pending: int) -> Text:
    waiting = f"{count_of(pending, 'study', 'studies')} pending"
    if not reports:
        return Text(f"PENDING: no report by the cutoff; {waiting}" if pending else "NONE: no imaging by the cutoff")
    acute = sum(report["acute"] is not None for report in reports)
    level = "ACUTE" if acute else "NO ACUTE FINDING"
    n = count_of(len(reports), "report")
    lines = [
        f"{imaging.study(report)}, {_ago(report)}: {shorten(report['impression'] or 'no text', LONGEST_REPORT)}"
        for report in reports[:MOST_LINES]
    ]
    return _listed(f"{level}: {n}, {acute} with an acute finding; {waiting}", reports, lines)


def _describe_diagnoses(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    # One code noted on several days is one diagnosis, at its latest note.
    once = history.grouped(evidence.pmh).unique(["evidence_id", "code"], keep="first", maintain_order=True)
    for rows in lists_of(evidence, once.sort("evidence_id", "days_before", "row")):
        yield _diagnoses(rows)


def _diagnoses(rows: list[Row]) -> Text:
    if not rows:
        return Text("NONE: no prior diagnosis on record")
    lines = [
        f"{_diagnosis_name(row)} ({DIAGNOSIS_LABELS[row['group']]}), noted {days(row['days_before'])} before arrival"
        for row in rows[:MOST_LINES]
    ]
    level = amount(len(rows), history.FEW, history.SOME)
    return _listed(f"{level}: {count_of(len(rows), 'prior diagnosis', 'prior diagnoses')}, newest first", rows, lines)


def _diagnosis_name(row: Row) -> str:
    name = row["desc10"] or row["desc_ccs"] or "no name"
    return f"{shorten(row['code'] or 'no code', LONGEST_CODE)} {shorten(name, LONGEST_NAME)}"


def _describe_medications(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    once = history.classed(evidence.meds).unique(["evidence_id", "name"], keep="first", maintain_order=True)
    for rows in lists_of(evidence, once.sort("evidence_id", "days_before", "row")):
        yield _medications(rows)


def _medications(rows: list[Row]) -> Text:
    if not rows:
        return Text("NONE: no home medication on record")
    lines = [
        f"{shorten(row['name'] or row['generic_name'] or 'unnamed', LONGEST_NAME)} "
        f"({MEDICATION_LABELS[row['medication_class']]}), since {days(row['days_before'])} before arrival"
        for row in rows[:MOST_LINES]
    ]
    level = amount(len(rows), history.FEW, history.SOME)
    return _listed(f"{level}: {count_of(len(rows), 'home medication')}, newest first", rows, lines)


FUNCTIONS = (
    ClinicalFunction(
        MENU["vital_sign_values"],
        "numerics",
        _vital_features,
        _describe_vital_values,
    ),
    ClinicalFunction(
        MENU["lab_values"],
        "labs",
        no_features,
        _describe_lab_values,
        further_tables=("orders",),
    ),
    ClinicalFunction(
        MENU["order_list"],
        "orders",
        no_features,
        _describe_orders,
    ),
    ClinicalFunction(
        MENU["radiology_reports"],
        "rads",
        no_features,
        _describe_reports,
        further_tables=("orders",),
    ),
    ClinicalFunction(
        MENU["prior_diagnoses"],
        "pmh",
        no_features,
        _describe_diagnoses,
    ),
    ClinicalFunction(
        MENU["home_medications"],
        "meds",
        no_features,
        _describe_medications,
    ),
)
