"""How well the functions a model called agree with the reference sets."""

from collections.abc import Iterable, Mapping

import polars as pl

from tirec.agent.reward import called, match_part
from tirec.agent.trajectories import Trajectory


def match_scores(trajectories: Iterable[Trajectory], references: Mapping[str, tuple[str, ...]]) -> pl.DataFrame:
    """instance_id, match: F1 of the distinct rewardable functions called against the task's reference set."""
    rows = [
        (trajectory.instance_id, match_part(called(trajectory.episode), references[trajectory.task]))
        for trajectory in trajectories
    ]
    return pl.DataFrame(rows, schema={"instance_id": pl.Int64, "match": pl.Float64}, orient="row")
