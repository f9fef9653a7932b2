"""Decision thresholds from validation half B; the test set can only read them."""

import polars as pl

from tirec.errors import DataError
from tirec.evaluation.metrics import best_f1

FALLBACK = 0.5
SCHEMA = {"task": pl.String, "setting": pl.String, "threshold": pl.Float64, "threshold_source": pl.String}


class ThresholdError(DataError):
    """A threshold asked of cases that may not set one."""


def choose(outcomes: pl.DataFrame) -> pl.DataFrame:
    """task, setting, threshold, threshold_source: the p with the highest F1 per task and setting.

    Outcomes must be validation half B and hold a p everywhere. A setting without positives takes its task's pooled
    threshold, a task without positives 0.5; the source says which.
    """
    _require_half_b(outcomes)
    rows = []
    for (task, setting), frame in outcomes.group_by("task", "setting", maintain_order=True):
        same_task = outcomes.filter(pl.col("task") == task)
        threshold, source = _best(frame, same_task)
        rows.append({"task": task, "setting": setting, "threshold": threshold, "threshold_source": source})
    return pl.DataFrame(rows, schema=SCHEMA)


def _best(frame: pl.DataFrame, same_task: pl.DataFrame) -> tuple[float, str]:
    for cases, source in ((frame, "validation B"), (same_task, "validation B, settings pooled")):
        if cases["label"].sum():
            return best_f1(cases["label"].to_numpy(), cases["p"].to_numpy())[0], source
    return FALLBACK, "0.5: no positive in validation B"


def _require_half_b(outcomes: pl.DataFrame) -> None:
    foreign = outcomes.filter((pl.col("split") != "validation") | (pl.col("half").fill_null("") != "B")).height
    if foreign:
        raise ThresholdError(f"{foreign} cases outside validation half B may not set a threshold")


def flag(outcomes: pl.DataFrame, thresholds: pl.DataFrame) -> pl.DataFrame:
    """Outcomes with `flagged`: p is at or above the threshold of the case's task and setting."""
    joined = outcomes.join(thresholds, on=["task", "setting"], how="left", maintain_order="left")
    if joined["threshold"].null_count():
        raise ThresholdError("a task and setting has no threshold: it has no case in validation half B")
    return joined.with_columns((pl.col("p") >= pl.col("threshold")).alias("flagged"))
