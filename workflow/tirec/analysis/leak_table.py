"""The leak suite as one table: every check with its value, its limit and whether it holds."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tirec.analysis.scoring import MEAN
from tirec.config.cohort import SETTINGS, TASKS, Task
from tirec.config.evidence import OrderRules
from tirec.config.leak_suite import LeakSuiteConfig
from tirec.records.stored import read_table

SCHEMA = {
    "task": pl.String,
    "check": pl.String,
    "subject": pl.String,
    "value": pl.Float64,
    "limit": pl.Float64,
    "holds": pl.Int8,
}
"""`holds` is 1 or 0, and null where a value is told and not judged."""
LISTED = 10
"""Columns and order names that are told although they are within the limit."""


@dataclass(frozen=True)
class Probes:
    """What the probes of one task found."""

    future: pl.DataFrame
    """cases, face, function, cells, differing, later."""
    arms: pl.DataFrame
    """arm, split, setting, metric, value, ci_low, ci_high, n, n_pos."""
    columns: pl.DataFrame
    """column, function, setting, auroc, observed; best first."""

    @classmethod
    def read(cls, folder: Path) -> "Probes":
        """From `{future,arms,columns}.tsv` of one task."""
        floats = {name: pl.Float64 for name in ("value", "ci_low", "ci_high", "auroc", "observed")}
        tables = {name: read_table(folder / f"{name}.tsv", (), floats) for name in ("future", "arms", "columns")}
        return cls(**tables)


def leak_table(
    probes: dict[Task, Probes], orders: pl.DataFrame, rules: LeakSuiteConfig, order_rules: OrderRules
) -> pl.DataFrame:
    """task, check, subject, value, limit, holds, by task and check."""
    parts = []
    for task in TASKS:
        found = probes[task]
        parts += [_future(task, found.future), _arms(task, found.arms), _shuffled(task, found.arms, rules)]
        parts.append(_columns(task, found.columns, rules))
    return pl.concat([*parts, _orders(orders, order_rules)])


def _future(task: Task, future: pl.DataFrame) -> pl.DataFrame:
    faces = future.group_by("face", maintain_order=True).agg(pl.col("differing", "later").sum())
    judged = faces.select(subject="face", value="differing", limit=0.0, holds=pl.col("differing") == 0)
    told = faces.select(subject="face", value="later")
    return pl.concat([_rows(task, "changed by another future", judged), _rows(task, "changed when seen later", told)])


def _arms(task: Task, arms: pl.DataFrame) -> pl.DataFrame:
    told = arms.filter(pl.col("setting") == MEAN, pl.col("metric") == "auroc", pl.col("arm") != "shuffled")
    return pl.concat(
        _rows(task, f"AUROC, {split}", told.filter(pl.col("split") == split).select("value", subject="arm"))
        for split in ("train", "validation")
    )


def _shuffled(task: Task, arms: pl.DataFrame, rules: LeakSuiteConfig) -> pl.DataFrame:
    row = arms.filter(pl.col("arm") == "shuffled", pl.col("setting") == MEAN, pl.col("metric") == "auroc")
    margin = max([rules.shuffled_margin, *(_chance(task, n, n_pos) for n, n_pos in row.select("n", "n_pos").rows())])
    judged = row.select(subject="arm", value="value", limit=margin, holds=(pl.col("value") - 0.5).abs() <= margin)
    return _rows(task, "AUROC of shuffled labels", judged)


def _chance(task: Task, n: int, n_pos: int) -> float:
    """Three standard errors of a setting's AUROC under chance, so that a small cohort is not accused."""
    size, positive = n / len(SETTINGS[task]), n_pos / len(SETTINGS[task])
    negative = size - positive
    return 3 * float(np.sqrt((size + 1) / (12 * positive * negative))) if positive * negative else 0.5


def _columns(task: Task, columns: pl.DataFrame, rules: LeakSuiteConfig) -> pl.DataFrame:
    limit = rules.column_limit
    shown = columns.filter((pl.col("auroc") > limit) | (pl.int_range(pl.len()) < LISTED))
    judged = shown.select(subject="column", value="auroc", limit=limit, holds=pl.col("auroc") <= limit)
    return _rows(task, "AUROC of one column", judged)


def _orders(orders: pl.DataFrame, rules: OrderRules) -> pl.DataFrame:
    """Visible names, most telling first; one above the limit stands there because somebody decided to keep it."""
    visible = orders.filter(pl.col("visible")).head(LISTED)
    within = pl.col("predictive_value") <= rules.leak_limit
    judged = visible.select(subject="procedure_name", value="predictive_value", limit=rules.leak_limit, holds=within)
    return _rows("disposition", "admitted of those with this order", judged)


def _rows(task: Task, check: str, found: pl.DataFrame) -> pl.DataFrame:
    absent = [pl.lit(None).alias(name) for name in ("limit", "holds") if name not in found.columns]
    whole = found.with_columns(pl.lit(task).alias("task"), pl.lit(check).alias("check"), *absent)
    return whole.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def floors_table(probes: dict[Task, Probes], floors: tuple[str, ...]) -> pl.DataFrame:
    """task, floor, split, setting, metric, value, ci_low, ci_high, n, n_pos: what every model must beat."""
    parts = [
        found.arms.filter(pl.col("arm").is_in(floors)).select(
            pl.lit(task).alias("task"), pl.col("arm").alias("floor"), pl.exclude("arm")
        )
        for task, found in probes.items()
    ]
    return pl.concat(parts)
