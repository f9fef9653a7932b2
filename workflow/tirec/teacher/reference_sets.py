"""Reference sets: the rewardable functions that carry a task's teacher."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tirec.config.teacher import TeacherConfig


def shares(importance: pl.DataFrame, rewardable: Sequence[str]) -> pl.DataFrame:
    """function, gain, share: total gain per rewardable function, normalised over the rewardable ones.

    All shares are 0 where the tree made no split on a rewardable function.
    """
    gain = importance.group_by("function").agg(pl.col("gain").sum())
    frame = pl.DataFrame({"function": list(rewardable)}).join(gain, on="function", how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("gain").fill_null(0.0))
    total = frame["gain"].sum()
    return frame.with_columns((pl.col("gain") / total if total > 0 else pl.lit(0.0)).alias("share"))


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


def sensitivity(sets: pl.DataFrame, rules: TeacherConfig) -> pl.DataFrame:
    """task, gamma, members: the sets that other values of gamma would give."""
    rows = []
    for (task,), frame in sets.group_by("task", maintain_order=True):
        for gamma in rules.sensitivity_gammas:
            inside = members(frame["share"].to_numpy(), gamma, rules.min_members)
            chosen = frame.filter(pl.Series(inside))["function"]
            rows.append({"task": task, "gamma": gamma, "members": " ".join(chosen)})
    return pl.DataFrame(rows, schema={"task": pl.String, "gamma": pl.Float64, "members": pl.String})


def empty_tasks(sets: pl.DataFrame) -> list[str]:
    """Tasks whose set is empty, so that their match reward is 0 throughout."""
    found = sets.group_by("task", maintain_order=True).agg(pl.col("in_reference").sum())
    return found.filter(pl.col("in_reference") == 0)["task"].to_list()


def read(path: Path | str) -> dict[str, tuple[str, ...]]:
    """The reference set of each task, in the registry's order."""
    sets = pl.read_csv(path, separator="\t")
    grouped = sets.group_by("task", maintain_order=True)
    return {str(task): tuple(frame.filter(pl.col("in_reference") == 1)["function"]) for (task,), frame in grouped}
