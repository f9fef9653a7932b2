"""What policies do, beside what they get right: the first test by what is suspected, stated confidences, guidelines."""

from collections.abc import Mapping

import polars as pl

from tirec.lacdm.guideline import adherence_table
from tirec.lacdm.menu import Menu
from tirec.lacdm.scores import reliability

NONE = "none"
"""No test was given before the diagnosis."""
Columns = dict[str, type[pl.DataType]]
FIRST_TESTS: Columns = {
    "model": pl.String,
    "suspected": pl.String,
    "test": pl.String,
    "n": pl.Int64,
    "share": pl.Float64,
}
RELIABILITY: Columns = {"model": pl.String, "confidence": pl.Float64, "n": pl.Int64, "accuracy": pl.Float64}
ADHERENCE: Columns = {
    "model": pl.String,
    "condition": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "n": pl.Int64,
}


def first_tests(predictions: pl.DataFrame, hypotheses: pl.DataFrame) -> pl.DataFrame:
    """suspected, test, n, share: the first test that was asked for, by the hypothesis before any result.

    The published rates (ultrasound in suspected cholecystitis, CT in suspected appendicitis) are shares of these rows.
    """
    suspected = hypotheses.filter(pl.col("turn") == 0).select("case_id", suspected="hypothesis")
    first = predictions.select("case_id", test=pl.col("requested").list.first().fill_null(NONE))
    counted = suspected.join(first, on="case_id").group_by("suspected", "test").agg(n=pl.len())
    share = pl.col("n") / pl.col("n").sum().over("suspected")
    return counted.with_columns(share=share).sort("suspected", "n", "test", descending=[False, True, False])


def of_models(
    predictions: Mapping[str, pl.DataFrame], hypotheses: Mapping[str, pl.DataFrame], menu: Menu
) -> dict[str, pl.DataFrame]:
    """first_tests, reliability, adherence: one table each, a column `model` in front.

    A model that stated nothing, or asked for nothing, has no rows in the tables about that.
    """
    stating = {name: frame for name, frame in hypotheses.items() if frame.height}
    asking = {name: frame for name, frame in predictions.items() if frame["requested"].list.len().sum()}
    first = {name: first_tests(predictions[name], frame) for name, frame in stating.items()}
    return {
        "first_tests": _stacked(first, FIRST_TESTS),
        "reliability": _stacked({name: reliability(frame) for name, frame in stating.items()}, RELIABILITY),
        "adherence": _stacked({name: adherence_table(frame, menu) for name, frame in asking.items()}, ADHERENCE),
    }


def _stacked(frames: Mapping[str, pl.DataFrame], columns: Columns) -> pl.DataFrame:
    named = [
        frame.select(pl.lit(name).alias("model"), pl.all()).cast(pl.Schema(columns)) for name, frame in frames.items()
    ]
    return pl.concat([pl.DataFrame(schema=columns), *named])
