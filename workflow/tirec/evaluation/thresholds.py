"""Decision thresholds from validation half B; the test set can only read them."""

import polars as pl

from tirec.errors import DataError
from tirec.evaluation.metrics import best_f1

FALLBACK = 0.5
SCHEMA = {"task": pl.String, "setting": pl.String, "threshold": pl.Float64, "threshold_source": pl.String}


class ThresholdError(DataError):
    """A threshold asked of cases that may not set one."""


def choose(outcomes: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """task, setting, threshold, threshold_source: the p with the highest F1, for each task and setting of `places`.

    Outcomes must be validation half B and hold a p everywhere. A setting without positives takes its task's pooled
    threshold, a task without positives 0.5; the source says which.
    """
    _require_half_b(outcomes)
    rows = []
    for task, setting in places.select("task", "setting").unique(maintain_order=True).iter_rows():
        same_task = outcomes.filter(pl.col("task") == task)
        threshold, source = _best(same_task.filter(pl.col("setting") == setting), same_task)
        rows.append({"task": task, "setting": setting, "threshold": threshold, "threshold_source": source})
    return pl.DataFrame(rows, schema=SCHEMA)


def _best(cases: pl.DataFrame, same_task: pl.DataFrame) -> tuple[float, str]:
    for given, source in ((cases, "validation B"), (same_task, "validation B, settings pooled")):
        if given["label"].sum():
            return best_f1(given["label"].to_numpy(), given["p"].to_numpy())[0], source
    return FALLBACK, "0.5: no positive in validation B"


def _require_half_b(outcomes: pl.DataFrame) -> None:
    foreign = outcomes.filter((pl.col("split") != "validation") | (pl.col("half").fill_null("") != "B")).height
    if foreign:
        raise ThresholdError(f"{foreign} cases outside validation half B may not set a threshold")


def flag(outcomes: pl.DataFrame, thresholds: pl.DataFrame) -> pl.DataFrame:
    """Outcomes with `flagged`: p is at or above the threshold of the case's task and setting."""
    joined = outcomes.join(thresholds, on=["task", "setting"], how="left", maintain_order="left")
    if joined["threshold"].null_count():
        raise ThresholdError("a task and setting of the test cases has no threshold in the metrics table")
    return joined.with_columns((pl.col("p") >= pl.col("threshold")).alias("flagged"))
