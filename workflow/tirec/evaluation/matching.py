"""What the metrics take from episodes: agreement with the reference sets, and a lenient reading of the answer."""

from collections.abc import Iterable, Mapping

import polars as pl

from tirec.agent.reward import called, match_part
from tirec.agent.trajectories import Trajectory


def match_scores(trajectories: Iterable[Trajectory], references: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """instance_id, match, p_lenient.

    match: F1 of the distinct rewardable functions called against the task's reference set; p_lenient: the answer where
    anything in it could be read as a number.
    """
    rows = [_scored(trajectory, references[trajectory.task]) for trajectory in trajectories]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


SCHEMA = {"instance_id": pl.Int64, "match": pl.Float64, "p_lenient": pl.Float64}


def _scored(trajectory: Trajectory, reference: tuple[str, ...]) -> tuple[int, float, float | None]:
    episode = trajectory.episode
    return trajectory.instance_id, match_part(called(episode), reference), episode.p_lenient


def stated_numbers(checked: pl.DataFrame) -> pl.DataFrame:
    """instance_id, statements, wrong, unverifiable from a numeric check (`numeric_check.counts`)."""
    wrong = pl.col("wrong_value") + pl.col("wrong_direction")
    return checked.select("instance_id", "statements", wrong.alias("wrong"), "unverifiable")
