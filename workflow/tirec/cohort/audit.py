"""Who was left out and why, and how frequent each outcome is: counts only."""

from collections.abc import Iterable

import polars as pl

from tirec.cohort import decompensation, disposition, revisit
from tirec.config.cohort import INSTANCE_SETS, SPLITS
from tirec.errors import DataError

FLAGS = {"disposition": disposition.FLAGS, "decompensation": decompensation.FLAGS, "revisit": revisit.FLAGS}


def count_exclusions(exclusions: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """task, setting, reason, n; reason `included` for instances; every setting adds up to the number of visits."""
    counts = pl.concat(exclusions).group_by("task", "setting", "reason").agg(n=pl.len().cast(pl.Int64))
    totals = counts.group_by("task", "setting").agg(pl.col("n").sum())
    if totals["n"].n_unique() > 1:
        raise DataError(
            f"exclusions: the tasks do not cover the same visits ({min(totals['n'])} to {max(totals['n'])})"
        )
    return _in_order(counts, by=["n", "reason"], descending=[True, False])


def count_prevalence(instances: pl.DataFrame) -> pl.DataFrame:
    """task, setting, split, n, n_pos, prevalence for all nine sets and three splits; no prevalence where n is 0."""
    cells = pl.DataFrame(
        [(task, setting, split) for task, setting in INSTANCE_SETS for split in SPLITS],
        schema=["task", "setting", "split"],
        orient="row",
    )
    label = pl.col("label").cast(pl.Int64)
    found = instances.group_by("task", "setting", "split").agg(n=pl.len().cast(pl.Int64), n_pos=label.sum())
    counts = cells.join(found, on=["task", "setting", "split"], how="left", maintain_order="left").fill_null(0)
    share = pl.when(pl.col("n") > 0).then(pl.col("n_pos") / pl.col("n"))
    return counts.with_columns(prevalence=share.round(6))


def count_flags(instances: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """task, setting, flag, n: what was kept although someone might ask (transfers, early departures, …)."""
    rows = [
        (part["task"][0], part["setting"][0], flag, int(part[flag].sum()))
        for part in instances
        if len(part)
        for flag in FLAGS[part["task"][0]]
    ]
    counts = pl.DataFrame(rows, schema={"task": str, "setting": str, "flag": str, "n": pl.Int64}, orient="row")
    return _in_order(counts, by=["flag"], descending=[False])


def _in_order(counts: pl.DataFrame, by: list[str], descending: list[bool]) -> pl.DataFrame:
    """Rows in the study's order of tasks and settings."""
    order = pl.DataFrame(
        [(task, setting, k) for k, (task, setting) in enumerate(INSTANCE_SETS)],
        schema=["task", "setting", "k"],
        orient="row",
    )
    sortable = counts.join(order, on=["task", "setting"])
    return sortable.sort("k", *by, descending=[False, *descending]).drop("k")
