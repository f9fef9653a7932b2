"""Predictions beside what happened: label, patient, and the rule for cases without an answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import polars as pl

from tirec.errors import DataError
from tirec.records.stored import read_alike, read_stored

UnansweredAs = Literal["prevalence", "lenient", "zero", "excluded"]
CASE_COLUMNS = ("instance_id", "csn", "mrn", "split", "half", "task", "setting", "label")
PREDICTION_SCHEMA = {
    "instance_id": pl.Int64,
    "task": pl.String,
    "setting": pl.String,
    "p": pl.Float64,
    "finish": pl.String,
    "calls": pl.Int64,
    "tokens": pl.Int64,
}


def read_predictions(path: Path) -> pl.DataFrame:
    """One model's predictions of a split; raises DataError where the file is missing, damaged or of another form."""
    return read_stored(path, PREDICTION_SCHEMA)


class PredictionError(DataError):
    """Predictions that do not belong to the written list of cases, or are no probabilities."""


def read_instances(paths: Sequence[Path]) -> pl.DataFrame:
    """All instances of the study: instance_id, csn, mrn, split, half, task, setting, label."""
    return read_alike(paths, CASE_COLUMNS, only=True).sort("instance_id")


def asked(sampled: Sequence[Path], *roles: str) -> pl.DataFrame:
    """instance_id, role of the written list of cases with these roles (select, threshold, test)."""
    listed = read_alike(sampled, ("instance_id", "role"), only=True)
    return listed.filter(pl.col("role").is_in(roles)).sort("instance_id")


def prevalence(instances: pl.DataFrame) -> pl.DataFrame:
    """task, setting, prevalence: share of positives among the training instances."""
    train = instances.filter(pl.col("split") == "train")
    return train.group_by("task", "setting", maintain_order=True).agg(pl.col("label").mean().alias("prevalence"))


def join(predictions: pl.DataFrame, cases: pl.DataFrame, instances: pl.DataFrame) -> pl.DataFrame:
    """One row per case of the written list: the instance's columns, p (null = unanswered), finish, calls, tokens.

    Raises PredictionError unless each case was predicted exactly once and every p lies in [0, 1].
    """
    check(predictions, cases)
    labelled = cases.select("instance_id").join(instances.select(CASE_COLUMNS), on="instance_id", how="left")
    if labelled["label"].null_count():
        raise PredictionError(f"{labelled['label'].null_count()} cases of the written list are no instances")
    answers = predictions.select("instance_id", "p", "finish", "calls", "tokens")
    joined = labelled.join(answers, on="instance_id", how="left").sort("instance_id")
    return joined.with_columns(pl.col("p").is_not_null().alias("answered"))


def check(predictions: pl.DataFrame, cases: pl.DataFrame) -> None:
    """Raises unless the predictions hold each case once, nothing else, and only probabilities."""
    if predictions["instance_id"].is_duplicated().any():
        raise PredictionError("predictions hold a case twice")
    missing = cases.join(predictions, on="instance_id", how="anti").height
    foreign = predictions.join(cases, on="instance_id", how="anti").height
    if missing or foreign:
        raise PredictionError(f"predictions lack {missing} cases of the written list and hold {foreign} others")
    given = predictions["p"].drop_nulls()
    if not given.is_between(0, 1).all():
        raise PredictionError("predictions hold a p that is not a probability")


def fill_unanswered(outcomes: pl.DataFrame, rates: pl.DataFrame, rule: UnansweredAs = "prevalence") -> pl.DataFrame:
    """Outcomes in which every row has a p: an unanswered case counts with the training prevalence of its setting.

    Variants reported beside it: `lenient` first takes what could be read as a number (`p_lenient`), `zero` counts an
    unanswered case as p = 0, `excluded` leaves it out. rates: task, setting, prevalence.
    """
    if rule == "excluded":
        return outcomes.filter(pl.col("answered"))
    if rule == "zero":
        return outcomes.with_columns(pl.col("p").fill_null(0.0))
    if rule == "lenient":
        outcomes = outcomes.with_columns(pl.coalesce("p", "p_lenient").alias("p"))
        outcomes = outcomes.with_columns(pl.col("p").is_not_null().alias("answered"))
    joined = outcomes.join(rates, on=["task", "setting"], how="left", maintain_order="left")
    filled = joined.with_columns(pl.coalesce("p", "prevalence").alias("p")).drop("prevalence")
    if filled["p"].null_count():
        raise PredictionError(
            "an unanswered case has no training prevalence: its task and setting have no training rows"
        )
    return filled
