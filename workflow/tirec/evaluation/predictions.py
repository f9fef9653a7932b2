"""Predictions in the one format that every model shares: of an episode, and of a risk given without any calls."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tirec.agent.episode import Finish
from tirec.agent.trajectories import Trajectory
from tirec.evaluation.outcomes import PREDICTION_SCHEMA, PredictionError
from tirec.records.stored import read_stored


def prediction(trajectory: Trajectory) -> dict[str, object]:
    """One row of predictions; tokens are those after the prompt, the model's and the observations' together."""
    episode = trajectory.episode
    return {
        "instance_id": trajectory.instance_id,
        "task": trajectory.task,
        "setting": trajectory.setting,
        "p": episode.p,
        "finish": str(episode.finish),
        "calls": len(episode.calls),
        "tokens": trajectory.tokens.response if trajectory.tokens else None,
    }


def from_risk(risk: pl.DataFrame, cases: pl.DataFrame, model: str) -> pl.DataFrame:
    """A model's risk (instance_id, p) of the listed cases (instance_id, task, setting); it makes no calls."""
    joined = cases.join(risk, on="instance_id", how="left")
    if joined["p"].null_count():
        raise PredictionError(f"{joined['p'].null_count()} cases of the written list have no risk from {model}")
    blank = pl.lit(None, pl.Int64)
    return conform(
        joined.with_columns(pl.lit(str(Finish.ANSWERED)).alias("finish"), blank.alias("calls"), blank.alias("tokens"))
    )


def listed(sampled: Sequence[Path], split: str) -> pl.DataFrame:
    """instance_id, task, setting of the written list of cases of a split; a list's file bears its task's name."""
    columns = ("instance_id", "setting", "split")
    frames = [read_stored(path, columns, only=True).with_columns(task=pl.lit(path.stem)) for path in sampled]
    return pl.concat(frames).filter(pl.col("split") == split).select("instance_id", "task", "setting")


def conform(predictions: pl.DataFrame) -> pl.DataFrame:
    """The prediction columns with their types, by instance_id."""
    columns = [pl.col(name).cast(kind) for name, kind in PREDICTION_SCHEMA.items()]
    return predictions.select(columns).sort("instance_id")
