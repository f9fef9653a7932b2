"""What a risk is worth on training and validation patients; no analysis of a study's choices looks at test."""

from collections.abc import Sequence

import polars as pl

from tirec.config.cohort import SETTINGS, Split, Task
from tirec.evaluation.intervals import resample
from tirec.evaluation.scores import MEAN, score, table

CONFIDENCE = 0.95


def measure(
    keys: pl.DataFrame, risk: pl.DataFrame, task: Task, split: Split, metrics: Sequence[str], draws: int = 0
) -> pl.DataFrame:
    """setting (those of the task, then `mean` over them), metric, value, ci_low, ci_high, n, n_pos.

    `keys` holds instance_id, mrn, split, task, setting, label; `risk` instance_id and p. Without draws there is no
    interval. A value is null where it is undefined (one class, or no case).
    """
    if split == "test":
        raise ValueError("choices are compared on training and validation patients only")
    cases = keys.filter(pl.col("split") == split).join(risk, on="instance_id")
    settings: dict[str, list[str]] = {task: [name for name in SETTINGS[task] if name in cases["setting"]]}
    if not settings[task]:
        return pl.DataFrame(schema=_SCHEMA)
    scored = score(_as_outcomes(cases), resample(cases["mrn"].to_numpy(), draws, 0), settings, metrics, pooled=False)
    return table(scored, CONFIDENCE).filter(pl.col("task") == task).select(*_SCHEMA)


def _as_outcomes(cases: pl.DataFrame) -> pl.DataFrame:
    """Cases with the columns that only a policy fills; nothing here is counted per visit, so each is its own."""
    nothing, visit = pl.lit(None, pl.Float64), pl.col("instance_id")
    return cases.with_columns(flagged=pl.lit(False), answered=pl.lit(True), calls=nothing, match=nothing, csn=visit)


_SCHEMA = {
    "setting": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "n": pl.Int64,
    "n_pos": pl.Int64,
}

__all__ = ["CONFIDENCE", "MEAN", "measure"]
