"""What was known before this visit: prior diagnoses by group, home-medication classes, earlier visits."""

from collections import Counter
from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Row, Text, lists_of, rows_in, rows_of
from tirec.evidence.menu import MENU
from tirec.evidence.vocabulary.history import (
    DIAGNOSIS_LABELS,
    MEDICATION_LABELS,
    diagnosis_group,
    medication_class,
)
from tirec.evidence.window import Evidence
from tirec.evidence.wording import amount, count_of, days, known, whole

FEW, SOME = 4, 12
"""Groups, classes and earlier visits together up to which a history is FEW or SOME."""
RECENT_DAYS = (7, 30, 90, 365)
# The substance tells more than the class it is filed under: aspirin is filed as an analgesic.
_MEDICATION_TEXTS = ("generic_name", "name", "med_subclass", "med_class")


def grouped(pmh: pl.DataFrame) -> pl.DataFrame:
    """Prior diagnoses with their group."""
    codes = pmh.select("code_type", "code").unique()
    groups = [diagnosis_group(*pair) for pair in codes.iter_rows()]
    table = codes.with_columns(pl.Series("group", groups, dtype=pl.String))
    return pmh.join(table, on=["code_type", "code"], how="left", nulls_equal=True, maintain_order="left")


def classed(meds: pl.DataFrame) -> pl.DataFrame:
    """Home medications with their class."""
    texts = meds.select(_MEDICATION_TEXTS).unique()
    keys = [medication_class(*four) for four in texts.iter_rows()]
    table = texts.with_columns(pl.Series("medication_class", keys, dtype=pl.String))
    return meds.join(table, on=_MEDICATION_TEXTS, how="left", nulls_equal=True, maintain_order="left")


def _features(evidence: Evidence) -> pl.DataFrame:
    group, kind = pl.col("group"), pl.col("medication_class")
    diagnoses = grouped(evidence.pmh).group_by("evidence_id").agg(
        diagnoses=pl.col("code").n_unique(),
        diagnosis_groups=group.n_unique(),
        since_diagnosis_days=pl.col("days_before").min(),
        **{f"diagnosis_{key}": (group == key).any() for key in DIAGNOSIS_LABELS},
    )  # fmt: skip
    medications = classed(evidence.meds).group_by("evidence_id").agg(
        medications=pl.col("name").n_unique(),
        medication_classes=kind.n_unique(),
        **{f"medication_{key}": (kind == key).any() for key in MEDICATION_LABELS},
    )  # fmt: skip
    found = evidence.ids
    for part in (diagnoses, medications, _earlier_visits(evidence)):
        found = found.join(part, on="evidence_id", how="left")
    unknown_when_absent = ("evidence_id", "since_diagnosis_days", "days_since_visit", "last_admitted")
    counted = [name for name in found.columns if name not in unknown_when_absent]
    return found.with_columns(pl.col(name).cast(pl.Float64).fill_null(0) for name in counted)


def _earlier_visits(evidence: Evidence) -> pl.DataFrame:
    return evidence.earlier.group_by("evidence_id", maintain_order=True).agg(
        earlier_visits=pl.len(),
        earlier_admissions=pl.col("admitted").sum(),
        days_since_visit=pl.col("days_before").min(),
        last_admitted=pl.col("admitted").first(),
        **{f"visits_{span}_days": (pl.col("days_before") <= span).sum() for span in RECENT_DAYS},
    )


def _describe(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    lists = (grouped(evidence.pmh), classed(evidence.meds), evidence.earlier)
    parts = (lists_of(evidence, rows) for rows in lists)
    for row, noted, taken, visited in zip(rows_of(columns), *parts, strict=True):
        yield _text(row, noted, taken, visited)


def _text(row: Row, noted: list[Row], taken: list[Row], visited: list[Row]) -> Text:
    groups = Counter(entry["group"] for entry in noted)
    classes = Counter(entry["medication_class"] for entry in taken)
    if not (noted or taken or visited):
        return Text("NONE: no prior diagnosis, home medication or earlier visit on record")
    lines = (
        _listing("Diagnosis groups", groups, DIAGNOSIS_LABELS),
        _listing("Medication classes", classes, MEDICATION_LABELS),
        _visits_line(row),
    )
    return Text(
        _headline(row, groups, classes),
        lines,
        rows_in(noted),
        further_rows={"meds": rows_in(taken), "visits": rows_in(visited)},
    )


def _headline(row: Row, groups: Counter[str], classes: Counter[str]) -> str:
    visits = whole(row["earlier_visits"])
    said = [
        count_of(len(groups), "diagnosis group"),
        count_of(len(classes), "medication class", "medication classes"),
        count_of(visits, "earlier visit"),
    ]
    if visits:
        said.append(f"last {days(row['days_since_visit'])} ago" + (", admitted" if row["last_admitted"] == 1 else ""))
    return f"{amount(len(groups) + len(classes) + visits, FEW, SOME)}: {', '.join(said)}"


def _listing(heading: str, found: Counter[str], labels: dict[str, str]) -> str:
    ordered = [key for key in labels if key in found]
    said = [labels[key] + (f" ({found[key]})" if found[key] > 1 else "") for key in ordered]
    return f"{heading}: {', '.join(said) or 'none'}."


def _visits_line(row: Row) -> str:
    n = whole(row["earlier_visits"])
    if not n:
        return "Earlier visits: none."
    recent, admitted = whole(row["visits_30_days"]), whole(row["earlier_admissions"])
    last = "admitted" if known(row["last_admitted"]) and row["last_admitted"] else "sent home"
    return (
        f"Earlier visits: {n}, of them {recent} within 30 days and {whole(row['visits_365_days'])} within a year; "
        f"admitted {count_of(admitted, 'time')}; the last ended {days(row['days_since_visit'])} before this arrival"
        f" ({last})."
    )


FUNCTIONS = (
    ClinicalFunction(
        MENU["history"],
        "pmh",
        _features,
        _describe,
        further_tables=("meds", "visits"),
    ),
)
