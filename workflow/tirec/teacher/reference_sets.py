"""Reference sets: the rewardable functions that carry a task's teacher."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tirec.config.teacher import TeacherConfig
from tirec.records.stored import read_table

KINDS = ("gain", "permutation", "shap")
"""Kinds of importance by function (tirec.teacher.importance); the reference sets themselves are by gain."""


def shares(importance: pl.DataFrame, rewardable: Sequence[str], kind: str = "gain") -> pl.DataFrame:
    """function, `kind`, share: total importance per rewardable function, normalised over the rewardable ones.

    All shares are 0 where the tree made no split on a rewardable function; an importance below 0 (a function that only
    does harm out of fold) counts as 0.
    """
    total = importance.group_by("function").agg(pl.col(kind).sum())
    frame = pl.DataFrame({"function": list(rewardable)}).join(total, on="function", how="left", maintain_order="left")
    frame = frame.with_columns(pl.col(kind).fill_null(0.0))
    helpful = pl.col(kind).clip(lower_bound=0)
    whole = frame.select(helpful.sum()).item()
    return frame.with_columns((helpful / whole if whole > 0 else pl.lit(0.0)).alias("share"))


def members(share: np.ndarray, gamma: float, min_members: int) -> np.ndarray:
    """(functions,) true where the function belongs to the set; ties go to the function listed first."""
    if not share.sum() > 0:
        return np.zeros(share.size, dtype=bool)
    rank = np.empty(share.size, dtype=int)
    rank[np.argsort(-share, kind="stable")] = np.arange(share.size)
    return (share > gamma) | (rank < min_members)


def build(importance: Mapping[str, pl.DataFrame], rewardable: Sequence[str], rules: TeacherConfig) -> pl.DataFrame:
    """task, function, gain, share, in_reference (0/1): one row per task and rewardable function."""
    return pl.concat([_of_task(task, frame, rewardable, rules) for task, frame in importance.items()])


def _of_task(task: str, importance: pl.DataFrame, rewardable: Sequence[str], rules: TeacherConfig) -> pl.DataFrame:
    frame = shares(importance, rewardable)
    inside = members(frame["share"].to_numpy(), rules.gamma, rules.min_members)
    return frame.select(
        pl.lit(task).alias("task"), "function", "gain", "share", pl.Series("in_reference", inside.astype(np.int8))
    )


def sensitivity(
    importance: Mapping[str, pl.DataFrame], rewardable: Sequence[str], rules: TeacherConfig
) -> pl.DataFrame:
    """task, importance, gamma, members: the sets under other kinds of importance and other values of gamma.

    `importance` holds one row per function and one column per kind (tirec.teacher.importance).
    """
    rows = []
    for task, frame in importance.items():
        for kind in KINDS:
            share = shares(frame, rewardable, kind)
            for gamma in rules.sensitivity_gammas:
                inside = members(share["share"].to_numpy(), gamma, rules.min_members)
                rows.append((task, kind, gamma, " ".join(share.filter(pl.Series(inside))["function"])))
    return pl.DataFrame(rows, schema=_SENSITIVITY, orient="row")


_SENSITIVITY = {"task": pl.String, "importance": pl.String, "gamma": pl.Float64, "members": pl.String}


def empty_tasks(sets: pl.DataFrame) -> list[str]:
    """Tasks whose set is empty, so that their match reward is 0 throughout."""
    found = sets.group_by("task", maintain_order=True).agg(pl.col("in_reference").sum())
    return found.filter(pl.col("in_reference") == 0)["task"].to_list()


def read(path: Path | str) -> dict[str, tuple[str, ...]]:
    """The reference set of each task, in the registry's order."""
    sets = read_table(Path(path), ("task", "function", "in_reference"))
    grouped = sets.group_by("task", maintain_order=True)
    return {str(task): tuple(frame.filter(pl.col("in_reference") == 1)["function"]) for (task,), frame in grouped}
