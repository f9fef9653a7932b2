"""history.tsv: one row per optimizer step; row 0 is the base's validation."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from statistics import fmean

import numpy as np
import polars as pl

from tirec.agent.episode import EpisodeRecord, Finish
from tirec.agent.reward import RewardParts
from tirec.config.cohort import TASKS
from tirec.provenance import write_tsv
from tirec.training.practice import Row
from tirec.training.selection import Validation

PARTS = {"total": "reward", **{name: f"reward_{name}" for name in ("format", "prediction", "match", "execution")}}
UPDATE = ("loss", "kl", "entropy", "clip_fraction", "grad_norm")
COLUMNS = (
    *("step", "retention", "learning_rate"),
    *(column + ending for column in PARTS.values() for ending in ("", "_std")),
    *UPDATE,
    *("zero_variance", "tokens", "calls", "p_std"),
    *(f"finish_{finish}" for finish in Finish),
    *(f"val_{task}_{field.name}" for task in TASKS for field in fields(Validation)),
)
"""Columns of history.tsv. `_std` is the mean over groups of the spread within a group (ddof 1); `tokens` and `calls`
are means per episode; `p_std` is the spread of answers over cases: near 0, a policy no longer looks at the patient."""


def rollout_row(
    rewards: Sequence[RewardParts], records: Sequence[EpisodeRecord], tokens: Sequence[int], group_size: int
) -> Row:
    """What one step's episodes looked like; they stand group by group, `tokens` counts each one's after its prompt."""
    row: Row = {}
    for part, column in PARTS.items():
        groups = np.array([getattr(reward, part) for reward in rewards]).reshape(-1, group_size)
        row[column] = float(groups.mean())
        row[f"{column}_std"] = float(groups.std(axis=1, ddof=1).mean())
        if part == "total":
            row["zero_variance"] = float((groups == groups[:, :1]).all(axis=1).mean())
    finishes = [record.finish for record in records]
    row |= {f"finish_{finish}": finishes.count(finish) / len(finishes) for finish in Finish}
    row["tokens"] = fmean(tokens)
    row["calls"] = fmean(len(record.calls) for record in records)
    row["p_std"] = _spread([record.p for record in records])
    return row


def _spread(answers: Sequence[float | None]) -> float:
    given = [answer for answer in answers if answer is not None]
    return float(np.std(given)) if given else 0.0


def write_history(rows: Sequence[Row], path: Path) -> None:
    """Writes history.tsv; what was not measured at a step is empty."""
    complete = [{column: row.get(column) for column in COLUMNS} for row in rows]
    schema = {column: pl.Int64 if column == "step" else pl.Float64 for column in COLUMNS}
    write_tsv(pl.DataFrame(complete, schema=schema).fill_nan(None), path)
