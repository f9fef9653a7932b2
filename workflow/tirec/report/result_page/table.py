"""What a result table shows: groups of rows, a cell's value and interval, and which differences hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tirec.report.style import TASK_LABELS, looks, percent
from tirec.report.tables import UNDEFINED, number

WITH_INTERVAL = {"auroc": "AUROC", "auprc": "AUPRC", "f1": "F1"}
"""Shown with their interval, and marked; precision and recall are not: flagging everyone has the best recall."""
PLAIN = {"precision": "Precision", "recall": "Recall", "flagged": "Flagged"}
COUNTED = {"match_f1": "Match F1", "calls": "Calls", "unanswered": "Unanswered", "seeds": "Seeds"}
DIGITS = {"calls": 1, "seeds": 0}
MACRO = "macro"


@dataclass(frozen=True)
class Cell:
    """One entry as written; mark is `best`, `second` or empty."""

    text: str
    interval: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Group:
    """The rows of one task; each row is a name and its cells."""

    heading: str
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class ResultTable:
    """Everything that is shown, in order."""

    title: str
    header: tuple[str, ...]
    groups: tuple[Group, ...]
    notes: tuple[str, ...]


def result_table(
    table: pl.DataFrame, title: str, reference: str, confidence: float, limits: tuple[str, ...]
) -> ResultTable:
    """The ablation table or Table 1 (`policy` or `model` in its first column) for readers, the mean of tasks first.

    limits: sentences that belong beside the numbers, such as that the data are synthetic.
    """
    name = table.columns[0]
    columns = {column: label for column, label in (WITH_INTERVAL | PLAIN | COUNTED).items() if column in table.columns}
    tasks = [MACRO, *(task for task in table["task"].unique(maintain_order=True) if task != MACRO)]
    groups = tuple(_group(table.filter(pl.col("task") == task), name, task, tuple(columns)) for task in tasks)
    notes = (*_notes(table, reference, confidence), *limits)
    return ResultTable(title, (name.capitalize(), *columns.values()), groups, notes)


def _group(rows: pl.DataFrame, name: str, task: str, columns: tuple[str, ...]) -> Group:
    first = rows.row(0, named=True)
    cases = f"{first['n']:,} test cases, {first['n_pos'] / first['n']:.1%} positive"
    style = looks([str(row) for row in rows[name]])
    shown = tuple(
        (style[row[name]].label, tuple(_cell(row, column) for column in columns)) for row in rows.iter_rows(named=True)
    )
    return Group(f"{TASK_LABELS.get(task, task)} ({cases})", shown)


def _cell(row: Mapping[str, Any], column: str) -> Cell:
    value = row[column]
    if value is None:
        return Cell(f"{UNDEFINED} (n_pos = {row['n_pos']})" if column in WITH_INTERVAL else "–")
    if column not in WITH_INTERVAL:
        return Cell(number(value, DIGITS.get(column, 3)))
    mark = row.get(f"{column}_mark") or ""
    if row[f"{column}_low"] is None:
        return Cell(number(value), mark=mark)
    interval = f"[{number(row[f'{column}_low'])}, {number(row[f'{column}_high'])}]"
    return Cell(number(value), interval, mark)


def _notes(table: pl.DataFrame, reference: str, confidence: float) -> tuple[str, ...]:
    seeds = table.filter(pl.col(table.columns[0]) == reference)["seeds"].drop_nulls()
    trained = int(seeds[0]) if len(seeds) else 1
    spread = (
        "One training seed: the variance between trainings is unknown."
        if trained == 1
        else f"Means over {trained} training seeds, which the intervals resample too."
    )
    return (
        f"Means over a task's settings; {percent(confidence)} bootstrap intervals over patients. {spread}",
        "F1, precision, recall and flagged at the threshold chosen on validation half B.",
        "Bold: best AUROC, AUPRC or F1; underlined: second best; only where the paired interval of the difference to "
        "every lower row excludes 0 (not adjusted for the number of comparisons).",
    )
