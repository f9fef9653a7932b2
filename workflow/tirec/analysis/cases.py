"""Which pairs of trajectories stand on the page of cases: by written rules, not by hand."""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from tirec.agent.trajectories import Trajectory
from tirec.evaluation.numeric_check import Verdict, check
from tirec.evaluation.thresholds import FALLBACK

SLIPS = (Verdict.WRONG_DIRECTION, Verdict.WRONG_VALUE)
RULES = {
    "only A is right": "A decides rightly and B wrongly, the largest difference of p first",
    "only B is right": "B decides rightly and A wrongly, the largest difference of p first",
    "both right, fewest calls": "both decide rightly, the fewest calls of A first, then the most calls that A saves",
    "numeric slip": "A states a number that what it had read contradicts, the wrong directions first",
}
"""Rule: what it picks; every rule breaks ties by the case's number. Decisions are at each model's own threshold."""


def summary(trajectories: Iterable[Trajectory]) -> pl.DataFrame:
    """instance_id, task, setting, p, calls, wrong_direction, wrong_value: one row per episode."""
    rows = []
    for one in trajectories:
        found = [finding.verdict for finding in check(one)]
        slips = [found.count(kind) for kind in SLIPS]
        rows.append((one.instance_id, one.task, one.setting, one.episode.p, len(one.episode.calls), *slips))
    return pl.DataFrame(rows, schema=_SUMMARY, orient="row")


_SUMMARY = {
    **{"instance_id": pl.Int64, "task": pl.String, "setting": pl.String, "p": pl.Float64, "calls": pl.Int64},
    **{str(kind): pl.Int64 for kind in SLIPS},
}


def judged(episodes: pl.DataFrame, labels: pl.DataFrame, thresholds: pl.DataFrame) -> pl.DataFrame:
    """Episodes with label and `right`: the decision at the model's threshold agrees; an unanswered case is not right.

    labels: instance_id, label; thresholds: task, setting, threshold (0.5 where there is none).
    """
    joined = episodes.join(labels.select("instance_id", "label"), on="instance_id").join(
        thresholds.select("task", "setting", "threshold"), on=["task", "setting"], how="left"
    )
    flagged = pl.col("p") >= pl.col("threshold").fill_null(FALLBACK)
    return joined.with_columns(right=(flagged == (pl.col("label") == 1)).fill_null(False))


def pick(a: pl.DataFrame, b: pl.DataFrame, pairs: int) -> dict[int, list[str]]:
    """instance_id -> the rules that picked it, at most `pairs` cases per task and rule; a, b: judged episodes."""
    both = a.join(b.select("instance_id", "p", "calls", "right"), on="instance_id", suffix="_b")
    picked: dict[int, list[str]] = {}
    for rule, (where, order) in _orders().items():
        found = both.filter(where).sort(*order, "instance_id", nulls_last=True)
        for one in found.group_by("task", maintain_order=True).head(pairs)["instance_id"]:
            picked.setdefault(one, []).append(rule)
    return picked


def _orders() -> Mapping[str, tuple[pl.Expr, Sequence[pl.Expr]]]:
    """Per rule, which cases fit and what is looked at first (ascending)."""
    a, b = pl.col("right"), pl.col("right_b")
    apart = [-(pl.col("p") - pl.col("p_b")).abs()]
    direction, value = (pl.col(str(kind)) for kind in SLIPS)
    fewest = [pl.col("calls"), pl.col("calls") - pl.col("calls_b")]
    cases = (a & ~b, apart), (~a & b, apart), (a & b, fewest), (direction + value > 0, [-direction, -value])
    return dict(zip(RULES, cases, strict=True))
