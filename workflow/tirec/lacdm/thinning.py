"""Withholding results at random until which tests were performed says nothing about the condition."""

from collections.abc import Sequence

import polars as pl

from tirec.cohort.lottery import tickets

FULL = float(2**64)


def thinned(available: pl.DataFrame, tests: Sequence[str], seed: int) -> pl.DataFrame:
    """`available` (hadm_id, condition, split and a Boolean per test) with results withheld at random.

    Test by test, among cases alike in what is left of the tests before, each condition keeps a test as often as the
    condition in which it was performed least (shares of the training split). So the joint pattern of what is left has
    the same distribution in all four conditions, up to chance.
    """
    frame = available.with_columns(_prefix=pl.lit(""))
    for test in tests:
        frame = _without_excess(frame, test, seed)
    return frame.drop("_prefix")


def _without_excess(frame: pl.DataFrame, test: str, seed: int) -> pl.DataFrame:
    train = frame.filter(pl.col("split") == "train")
    shares = train.group_by("_prefix", "condition").agg(share=pl.col(test).mean())
    conditions = train["condition"].n_unique()
    lowest = shares.group_by("_prefix").agg(
        least=pl.when(pl.len() == conditions).then(pl.col("share").min()).otherwise(0.0)
    )
    keep = (pl.col("least") / pl.col("share")).fill_nan(0.0).fill_null(0.0)
    joined = frame.join(shares, on=["_prefix", "condition"], how="left", maintain_order="left").join(
        lowest, on="_prefix", how="left", maintain_order="left"
    )
    drawn = pl.Series("_drawn", tickets(frame["hadm_id"], seed, f"withheld {test}").to_numpy() / FULL, dtype=pl.Float64)
    kept = joined.with_columns(drawn).with_columns((pl.col(test) & (pl.col("_drawn") < keep)).alias(test))
    marked = kept.with_columns(_prefix=pl.col("_prefix") + pl.col(test).cast(pl.Int8).cast(pl.String))
    return marked.drop("share", "least", "_drawn")
