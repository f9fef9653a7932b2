"""Splits, exclusions and prevalence as a page shows them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from tirec.cohort.population import INCLUDED
from tirec.config.cohort import SETTINGS, SPLITS, TASKS, Task
from tirec.records.small_counts import HIDDEN, Counts
from tirec.report.audit_page import words


class SplitLine(NamedTuple):
    """One split."""

    name: str
    visits: str
    patients: str
    share: str
    aim: str


class Cell(NamedTuple):
    """One setting of one step: how many leave here, how many are left."""

    leaves: str
    left: str
    width: int
    """Share of all visits that is left, 0 to 100."""


class Step(NamedTuple):
    """One exclusion of a task, with a cell per setting."""

    reason: str
    cells: list[Cell]


class Flow(NamedTuple):
    """From all visits to the instances of one task."""

    title: str
    question: str
    settings: list[str]
    visits: str
    steps: list[Step]
    included: list[Cell]


class Rate(NamedTuple):
    """One task, setting and split."""

    n: str
    positive: str
    share: str
    width: int


class RateLine(NamedTuple):
    """One task and setting, with a rate per split."""

    task: str
    setting: str
    rates: list[Rate]


def split_lines(counts: pl.DataFrame, written: Counts) -> tuple[list[SplitLine], list[tuple[str, str]]]:
    """One line per split, and what else was counted."""
    found = {str(check): int(n) for check, n in counts.select("check", "n").iter_rows()}
    patients = sum(found[f"patients_{name}"] for name in SPLITS)
    lines = [
        SplitLine(
            name,
            written.text(found[f"visits_{name}"]),
            written.text(n := found[f"patients_{name}"]),
            "–" if written.small(n) or not patients else f"{n / patients:.1%}",
            f"{words.SPLIT_AIMS[name]:.0%}",
        )
        for name in SPLITS
    ]
    others = [(check.replace("_", " "), written.text(n)) for check, n in found.items() if not check.endswith(SPLITS)]
    return lines, others


def flows(exclusions: pl.DataFrame, written: Counts) -> list[Flow]:
    """One flow per task, in the order in which its reasons are asked."""
    counts = {(task, setting): _counts(exclusions, task, setting) for task in TASKS for setting in SETTINGS[task]}
    hidden = written.also_hidden(list(counts.values()))
    return [_flow(task, [counts[task, setting] for setting in SETTINGS[task]], hidden, written) for task in TASKS]


def _counts(exclusions: pl.DataFrame, task: str, setting: str) -> dict[str, int]:
    rows = exclusions.filter(pl.col("task") == task, pl.col("setting") == setting).select("reason", "n").iter_rows()
    return {str(reason): int(n) for reason, n in rows}


def _flow(task: Task, by_setting: list[dict[str, int]], hidden: frozenset[str], written: Counts) -> Flow:
    known = words.REASONS[task]
    found = {reason for counts in by_setting for reason in counts} - {INCLUDED}
    reasons = [reason for reason in known if reason in found] + sorted(found - set(known))
    columns = [list(_cells(counts, [*reasons, INCLUDED], hidden, written)) for counts in by_setting]
    steps = [Step(known.get(reason, reason), [column[k] for column in columns]) for k, reason in enumerate(reasons)]
    names = [words.SETTINGS[setting] for setting in SETTINGS[task]]
    total = max(sum(counts.values()) for counts in by_setting)
    return Flow(*words.TASKS[task], names, f"{total:,}", steps, [column[-1] for column in columns])


def _cells(counts: dict[str, int], reasons: list[str], hidden: frozenset[str], written: Counts) -> Iterator[Cell]:
    """A cell per reason, the last for the included; running totals would give hidden counts away."""
    total = left = sum(counts.values())
    for reason in reasons:
        n = counts.get(reason, 0)
        text = HIDDEN if reason in hidden and n and not written.small(n) else written.text(n)
        if reason == INCLUDED:
            yield Cell("", text, _width(left, total))
            return
        left -= n
        shown = f"{_width(left, total)} %" if written.suppressed else f"{left:,}"
        yield Cell(f"− {text}" if n and text != HIDDEN else HIDDEN if n else "", shown, _width(left, total))


def _width(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def rate_lines(prevalence: pl.DataFrame, written: Counts) -> list[RateLine]:
    """One line per task and setting."""
    rows = {(task, setting, split): (n, n_pos) for task, setting, split, n, n_pos, _ in prevalence.iter_rows()}
    return [
        RateLine(
            words.TASKS[task][0],
            words.SETTINGS[setting],
            [_rate(*rows.get((task, setting, split), (0, 0)), written) for split in SPLITS],
        )
        for task in TASKS
        for setting in SETTINGS[task]
    ]


def _rate(n: int, positive: int, written: Counts) -> Rate:
    share = written.share(positive, n)
    hidden = written.small(n) or (positive and share == "–")
    return Rate(written.text(n), "–" if hidden and not written.small(positive) else written.text(positive), share,
                0 if "%" not in share else _width(positive, n))  # fmt: skip


@dataclass(frozen=True)
class FlagLine:
    """Instances that were kept although someone might ask, per setting of a task."""

    task: str
    what: str
    counts: list[str]


def flag_lines(flags: pl.DataFrame, written: Counts) -> list[FlagLine]:
    """One line per task and flag that any setting has."""
    found = {(task, setting, flag): int(n) for task, setting, flag, n in flags.iter_rows()}
    names = dict.fromkeys((task, flag) for task, _, flag in found)
    lines = []
    for task, flag in names:
        counts = [found.get((task, setting, flag), 0) for setting in SETTINGS[task]]
        if any(counts):
            settings = [words.SETTINGS[setting] for setting in SETTINGS[task]]
            pairs = [f"{written.text(n)} ({name})" for n, name in zip(counts, settings, strict=True)]
            lines.append(FlagLine(words.TASKS[task][0], words.FLAGS.get(flag, flag), pairs))
    return lines
