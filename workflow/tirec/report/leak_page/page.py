"""The checks of the leak suite as a page."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tirec.analysis.leak_table import Probes
from tirec.analysis.scoring import MEAN
from tirec.config.cohort import TASKS, Task
from tirec.records.small_counts import Counts
from tirec.report.audit_page import words as study_words
from tirec.report.pages import render
from tirec.report.tables import number

_FOLDER = Path(__file__).resolve().parent
ORDERS, COLUMNS = 20, 10
ARMS = {
    "both": "all columns (the study's teacher)",
    "process": "process only: orders, counts, times, monitoring",
    "physiology": "the patient only: vital signs, results, history, complaint",
    "arrival": "arrival view only: age, sex, triage, complaint",
}
FLOORS = {"prevalence": "the training prevalence for everyone", "arrival": "a tree on the arrival view"}
METRICS = {"auroc": "AUROC", "auprc": "average precision", "brier": "Brier score", "log_loss": "log loss"}


class Future(NamedTuple):
    """One task and face under another future."""

    task: str
    face: str
    cases: str
    cells: str
    differing: int
    later: str


class Score(NamedTuple):
    """One arm or floor of a task: a name and its cells."""

    task: str
    what: str
    cells: list[str]


class Alone(NamedTuple):
    """One column by itself."""

    task: str
    column: str
    setting: str
    auroc: str
    observed: str
    alarm: bool


def leak_page(table: pl.DataFrame, probes: Mapping[Task, Probes], orders: pl.DataFrame, data_class: str) -> str:
    """The page from the table of checks and what each task's probes found; equal input gives equal bytes."""
    written = Counts.of(data_class)
    alarms = set(table.filter(pl.col("check") == "AUROC of one column", pl.col("holds") == 0)["subject"])
    return render(
        _FOLDER,
        data_class=data_class,
        words=study_words,
        failed=[*_failed(table)],
        futures=[line for task in TASKS for line in _futures(task, probes[task].future)],
        arms=[line for task in TASKS for line in _arms(task, probes[task].arms)],
        floors=[line for task in TASKS for line in _floors(task, probes[task].arms)],
        metrics=list(METRICS.values()),
        shuffled=[_title(task) + ": " + _shuffled(probes[task].arms) for task in TASKS],
        columns=[line for task in TASKS for line in _columns(task, probes[task].columns, alarms)],
        orders=[_order(row, written) for row in orders.head(ORDERS).iter_rows(named=True)],
    )


def _title(task: Task) -> str:
    return study_words.TASKS[task][0]


def _failed(table: pl.DataFrame) -> Iterator[str]:
    for row in table.filter(pl.col("holds") == 0).iter_rows(named=True):
        title = study_words.TASKS[row["task"]][0]
        yield f"{title}, {row['check']}: {row['subject']} {number(row['value'])} (limit {number(row['limit'], 2)})"


def _futures(task: Task, future: pl.DataFrame) -> Iterator[Future]:
    for (face,), rows in future.group_by("face", maintain_order=True):
        cases, cells, moved = (int(rows[name].sum()) for name in ("cases", "cells", "later"))
        later = moved / max(cells, 1)
        cases //= max(len(rows), 1)
        yield Future(_title(task), str(face), f"{cases:,}", f"{cells:,}", int(rows["differing"].sum()), f"{later:.0%}")


def _mean(arms: pl.DataFrame, arm: str, split: str, metric: str) -> dict[str, Any] | None:
    rows = arms.filter(
        pl.col("arm") == arm, pl.col("split") == split, pl.col("metric") == metric, pl.col("setting") == MEAN
    )
    return rows.row(0, named=True) if len(rows) else None


def _value(row: dict[str, Any] | None) -> str:
    return "undefined" if row is None or row["value"] is None else number(row["value"])


def _interval(row: dict[str, Any] | None) -> str:
    known = row is not None and row["ci_low"] is not None
    return f"{number(row['ci_low'])} to {number(row['ci_high'])}" if row and known else ""


def _arms(task: Task, arms: pl.DataFrame) -> Iterator[Score]:
    for arm, what in ARMS.items():
        train, held_out = (_mean(arms, arm, split, "auroc") for split in ("train", "validation"))
        yield Score(_title(task), what, [_value(train), _value(held_out), _interval(held_out)])


def _floors(task: Task, arms: pl.DataFrame) -> Iterator[Score]:
    for floor, what in FLOORS.items():
        yield Score(_title(task), what, [_value(_mean(arms, floor, "validation", metric)) for metric in METRICS])


def _shuffled(arms: pl.DataFrame) -> str:
    return _value(_mean(arms, "shuffled", "train", "auroc"))


def _columns(task: Task, columns: pl.DataFrame, alarms: set[str]) -> Iterator[Alone]:
    shown = columns.filter((pl.int_range(pl.len()) < COLUMNS) | pl.col("column").is_in(alarms))
    for row in shown.iter_rows(named=True):
        setting = study_words.SETTINGS[row["setting"]]
        alone = f"{row['observed']:.0%}"
        yield Alone(_title(task), row["column"], setting, number(row["auroc"]), alone, row["column"] in alarms)


def _order(row: dict[str, Any], written: Counts) -> tuple[str, str, str, bool]:
    share = written.share(row["n_pos"], row["n"])
    return row["procedure_name"] or "(no name)", written.text(row["n"]), share, bool(row["visible"])
