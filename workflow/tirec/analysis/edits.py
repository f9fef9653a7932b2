"""Observations as they would be said if one value were another: edits of evidence that has passed the window.

A function's text is written by the function itself from the edited evidence, its columns likewise.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from tirec.cohort.lottery import tickets
from tirec.config.evidence import EvidenceConfig
from tirec.errors import EmptyError
from tirec.evidence.features import chunks
from tirec.evidence.functions import REGISTRY
from tirec.evidence.functions.function import Row
from tirec.evidence.functions.labs import judged, latest, urgency
from tirec.evidence.menu import REWARDABLE
from tirec.evidence.observations import said
from tirec.evidence.window import Evidence, gather
from tirec.evidence.wording import plain
from tirec.records.schema import Tables
from tirec.records.stored import read_stored

CRITICAL, NORMAL, EXCHANGE = "critical", "normal", "exchange"
EDITS = (CRITICAL, NORMAL, EXCHANGE)
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "instance_id": pl.Int64,
    "function": pl.String,
    "edit": pl.String,
    "text": pl.String,
    "values": pl.List(pl.Float32),
}
"""One row per case, function and edit: the function's text then, and its tree columns in their order."""


class Target(NamedTuple):
    """What the latest reading of each measure of a function becomes."""

    critical: dict[str, float]
    normal: dict[str, float]


VITALS = {
    "heart_rate": Target({"HR": 140.0}, {"HR": 72.0}),
    "blood_pressure": Target({"SBP": 78.0, "DBP": 38.0, "MAP": 51.0}, {"SBP": 120.0, "DBP": 76.0, "MAP": 91.0}),
    "oxygen_saturation": Target({"SpO2": 84.0}, {"SpO2": 98.0}),
    "respiratory_rate": Target({"RR": 32.0}, {"RR": 16.0}),
    "temperature": Target({"Temp": 40.0}, {"Temp": 36.8}),
}
"""Readings beyond the outer limits of the vital signs' bands, and readings inside NORMAL; a pressure moves as one."""
BEYOND = 1.2
"""A laboratory value moved to critical lies this far beyond its critical limit (as a ratio)."""
_UNSAID = ("NONE", "PENDING")


def edit_observations(tables: Tables, cases: pl.DataFrame, config: EvidenceConfig) -> pl.DataFrame:
    """Every edit of the cases (instance_id, evidence_id, csn, mrn, cutoff_s, setting), as SCHEMA says.

    Nothing enters but what `gather` shows at each cutoff. A row exists where the edit changes the text: `critical`
    where the function says NORMAL, `normal` where it names another level, `exchange` with another patient of the same
    task and setting. Raises EmptyError without cases.
    """
    whole = [gather(tables, chunk, config) for chunk in chunks(cases, config, "edits")]
    if not whole:
        raise EmptyError("edits: there is no case whose observations could be edited")
    moved = pl.concat([part for evidence in whole for part in _moved(evidence)])
    faces = {name: pl.concat([face(name, evidence) for evidence in whole]) for name in REWARDABLE}
    exchanged = [row for name in REWARDABLE for row in exchanges(name, faces[name], cases)]
    kept = cases.select("instance_id", "evidence_id").join(moved, on="evidence_id")
    both = pl.concat([kept.select(*SCHEMA), pl.DataFrame(exchanged, schema=SCHEMA, orient="row")])
    return both.sort("instance_id", "function", "edit")


def read_edits(path: Path) -> pl.DataFrame:
    """One task's edits; DataError where the file is missing, damaged or of another form."""
    return read_stored(path, list(SCHEMA))


def face(function: str, evidence: Evidence) -> pl.DataFrame:
    """evidence_id, level, text, values: the word a function opens with, what an agent reads, what a tree reads."""
    rendered = REGISTRY[function].texts(evidence)
    columns = REGISTRY[function].columns(evidence).drop("evidence_id")
    return rendered.select(
        "evidence_id",
        level=pl.col("headline").str.extract(r"^([A-Z ]+)"),
        text=said(rendered, evidence),
        values=pl.Series([list(row) for row in columns.iter_rows()], dtype=pl.List(pl.Float32)),
    )


def _moved(evidence: Evidence) -> Iterator[pl.DataFrame]:
    """evidence_id, function, edit, text, values of every case where one value moved changes the text."""
    for function in (*VITALS, "labs"):
        usual = face(function, evidence)
        for edit in (CRITICAL, NORMAL):
            fits = pl.col("level") == NORMAL.upper() if edit == CRITICAL else _abnormal(pl.col("level"))
            changed = face(function, moved_evidence(evidence, function, edit))
            differs = usual.filter(fits).join(changed, on="evidence_id", suffix="_then").filter(
                pl.col("text") != pl.col("text_then")
            )  # fmt: skip
            yield differs.select(
                "evidence_id",
                function=pl.lit(function),
                edit=pl.lit(edit),
                text="text_then",
                values="values_then",
            )


def _abnormal(level: pl.Expr) -> pl.Expr:
    return ~level.is_in([NORMAL.upper(), *_UNSAID])


def moved_evidence(evidence: Evidence, function: str, edit: str) -> Evidence:
    """The evidence with one value of a function moved in every case that has one; only vital signs and labs."""
    if function == "labs":
        return replace(evidence, labs=_labs(evidence.labs, edit))
    return replace(evidence, numerics=_numerics(evidence.numerics, getattr(VITALS[function], edit)))


def _numerics(numerics: pl.DataFrame, values: dict[str, float]) -> pl.DataFrame:
    """The latest reading of each named measure becomes the given one."""
    of_measure = ("evidence_id", "measure")
    last = pl.int_range(pl.len()).over(of_measure) == pl.len().over(of_measure) - 1
    measure = pl.col("measure").cast(pl.String)
    becomes = measure.replace_strict(values, default=None, return_dtype=pl.Float64)
    return numerics.with_columns(value=pl.when(last & measure.is_in(list(values))).then(becomes).otherwise("value"))


def _labs(labs: pl.DataFrame, edit: str) -> pl.DataFrame:
    """One result of each case becomes another number; its flag goes, its limits stay."""
    targets = pl.DataFrame(list(_lab_targets(labs, edit)), schema=_TARGETS, orient="row")
    joined = labs.join(targets, on=["evidence_id", "row"], how="left", maintain_order="left")
    moved = pl.col("becomes").is_not_null()
    return joined.with_columns(
        value=pl.coalesce("becomes", "value"),
        component_result=pl.when(moved).then("shown").otherwise("component_result"),
        component_abnormal=pl.when(moved).then(None).otherwise("component_abnormal"),
        sign=pl.when(moved).then(pl.lit("")).otherwise("sign"),
    ).drop("becomes", "shown")


_TARGETS = {"evidence_id": pl.Int64, "row": pl.Int64, "becomes": pl.Float64, "shown": pl.String}


def _lab_targets(labs: pl.DataFrame, edit: str) -> Iterator[tuple[int, int, float, str]]:
    """Per case the result that moves: to critical the newest normal one that has a critical limit, to normal the most
    urgent one that has limits."""
    becomes = _beyond if edit == CRITICAL else _inside
    for (evidence_id,), rows in latest(judged(labs)).group_by("evidence_id", maintain_order=True):
        wanted = [row for row in rows.iter_rows(named=True) if (row["level"] == "NORMAL") == (edit == CRITICAL)]
        for row in sorted(wanted, key=urgency):
            value = becomes(row) if row["value"] is not None and row["level"] else None
            if value is not None:
                yield int(str(evidence_id)), row["row"], value, plain(value)
                break


def _beyond(row: Row) -> float | None:
    """A value past the critical limit, the high one where there are two."""
    if row["critical_high"] is not None:
        return row["critical_high"] * BEYOND
    return None if row["critical_low"] is None else row["critical_low"] / BEYOND


def _inside(row: Row) -> float | None:
    """The middle of the record's own limits, else of the usual ones; only where both ends are known."""
    own = (row["nml_low"], row["nml_high"])
    low, high = own if any(limit is not None for limit in own) else (row["usual_low"], row["usual_high"])
    return None if low is None or high is None else (low + high) / 2


Exchanged = tuple[int, str, str, str, list[float]]


def exchanges(function: str, faces: pl.DataFrame, cases: pl.DataFrame) -> Iterator[Exchanged]:
    """For every case the text of another patient of its setting: the next one in a drawn order that says otherwise."""
    drawn = cases.with_columns(tickets(cases["instance_id"], 0, f"exchange {function}")).join(faces, on="evidence_id")
    for setting in drawn.sort("ticket", "instance_id").partition_by("setting", maintain_order=True):
        rows = setting.select("instance_id", "mrn", "text", "values").rows(named=True)
        for place, row in enumerate(rows):
            others = (*rows[place + 1 :], *rows[:place])
            donor = next((one for one in others if one["mrn"] != row["mrn"] and one["text"] != row["text"]), None)
            if donor is not None:
                yield row["instance_id"], function, EXCHANGE, donor["text"], donor["values"]
