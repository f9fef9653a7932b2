"""The table of alternatives as a page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tirec.config.cohort import SETTINGS, TASKS, Task
from tirec.evaluation.scores import MEAN
from tirec.records.small_counts import Counts
from tirec.report.audit_page import words as study_words
from tirec.report.pages import render
from tirec.report.sensitivity_page import words
from tirec.report.tables import number

_FOLDER = Path(__file__).resolve().parent
OWN = "-"


class Setting(NamedTuple):
    """One choice in one setting."""

    n: str
    share: str
    auroc: str


class Line(NamedTuple):
    """One choice: what it does, how many cases, how well a tree ranks them, and what it looks at."""

    what: str
    key: str
    own: bool
    n: str
    positive: str
    share: str
    train: str
    validation: str
    interval: str
    difference: str
    members: list[str]
    entered: list[str]
    left: list[str]
    settings: list[Setting]


class Part(NamedTuple):
    """One task."""

    title: str
    question: str
    settings: list[str]
    lines: list[Line]


def sensitivity_page(table: pl.DataFrame, data_class: str) -> str:
    """The page of `sensitivity.tsv`; equal tables give equal bytes."""
    written = Counts.of(data_class)
    parts = [_part(task, table.filter(pl.col("task") == task), written) for task in TASKS]
    return render(_FOLDER, parts=parts, moved=[*_moved(table)], data_class=data_class, words=study_words)


def _part(task: Task, rows: pl.DataFrame, written: Counts) -> Part:
    grouped = rows.group_by("decision", "value", maintain_order=True)
    lines = [_line(task, chosen, written) for _, chosen in grouped]
    return Part(*study_words.TASKS[task], [study_words.SETTINGS[name] for name in SETTINGS[task]], lines)


def _line(task: Task, rows: pl.DataFrame, written: Counts) -> Line:
    by_setting = {row["setting"]: row for row in rows.iter_rows(named=True)}
    mean = by_setting[MEAN]
    own = mean["decision"] == OWN
    hidden = written.small(mean["n_pos"]) or written.small(mean["n"] - mean["n_pos"])
    return Line(
        what="the study's own choices" if own else words.choice(mean["decision"], str(mean["value"])),
        key="" if own else f"{mean['decision']}: {mean['value']}",
        own=own,
        n=written.text(mean["n"]),
        positive=written.text(mean["n_pos"]) if not hidden else "–",
        share=written.share(mean["n_pos"], mean["n"]),
        train=_auroc(mean["auroc_train"]),
        validation=_auroc(mean["auroc_validation"]),
        interval=_interval(mean),
        difference="" if own else _signed(mean["difference"]),
        members=_names(mean["reference_set"]),
        entered=_names(mean["entered"]),
        left=_names(mean["left"]),
        settings=[_setting(by_setting.get(name), written) for name in SETTINGS[task]],
    )


def _setting(row: dict[str, Any] | None, written: Counts) -> Setting:
    if row is None:
        return Setting("0", "–", "–")
    return Setting(written.text(row["n"]), written.share(row["n_pos"], row["n"]), _auroc(row["auroc_validation"]))


def _names(joined: str | None) -> list[str]:
    return [name.replace("_", " ") for name in (joined or "").split()]


def _auroc(value: float | None) -> str:
    return "undefined" if value is None else number(value)


def _interval(row: dict[str, Any]) -> str:
    return "" if row["auroc_low"] is None else f"{number(row['auroc_low'])} to {number(row['auroc_high'])}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{'+' if value >= 0 else '−'}{number(abs(value))}"


def _moved(table: pl.DataFrame) -> Iterator[str]:
    """What does not survive another choice: another reference set, or an AUROC outside the study's own interval."""
    rows = table.filter(pl.col("setting") == MEAN)
    own = {row["task"]: row for row in rows.filter(pl.col("decision") == OWN).iter_rows(named=True)}
    for row in rows.filter(pl.col("decision") != OWN).iter_rows(named=True):
        changes = [*_set_change(row), *_auroc_change(row, own[row["task"]])]
        if changes:
            task = study_words.TASKS[row["task"]][0]
            yield f"{task}, {words.choice(row['decision'], str(row['value']))}: {'; '.join(changes)}."


def _set_change(row: dict[str, Any]) -> Iterator[str]:
    for names, verb in ((row["entered"], "enters"), (row["left"], "leaves")):
        if found := _names(names):
            yield f"{', '.join(found)} {verb if len(found) == 1 else verb[:-1]} the reference set"


def _auroc_change(row: dict[str, Any], own: dict[str, Any]) -> Iterator[str]:
    found, low, high = row["auroc_validation"], own["auroc_low"], own["auroc_high"]
    if None not in (found, low, high) and not low <= found <= high:
        yield f"AUROC {number(found)} is outside the study's own interval ({number(low)} to {number(high)})"
