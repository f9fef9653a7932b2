"""Accuracy against what it took: AUROC beside the calls that each model makes when nothing limits it but the study."""

from collections.abc import Mapping

import polars as pl

from tirec.evaluation.scores import MEAN

MEASURED = ("task", "setting", "metric", "value", "ci_low", "ci_high", "unanswered_as")
"""Columns of a metrics table that are read."""
_ENDINGS = {"value": "", "ci_low": "_low", "ci_high": "_high"}


def calls_table(metrics: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """model, task, auroc and calls with intervals, from metrics tables; calls are null where a model makes none."""
    return pl.concat([_of_model(model, table) for model, table in metrics.items()])


def _of_model(model: str, table: pl.DataFrame) -> pl.DataFrame:
    headline = table.filter(pl.col("setting") == MEAN, pl.col("unanswered_as") == "prevalence")
    auroc, calls = (_measured(headline, name) for name in ("auroc", "calls"))
    joined = auroc.join(calls, on="task", how="left", maintain_order="left")
    return joined.select(pl.lit(model).alias("model"), "task", pl.exclude("task"))


def _measured(headline: pl.DataFrame, name: str) -> pl.DataFrame:
    rows = headline.filter(pl.col("metric") == name)
    return rows.select("task", *(pl.col(old).cast(pl.Float64).alias(name + end) for old, end in _ENDINGS.items()))
