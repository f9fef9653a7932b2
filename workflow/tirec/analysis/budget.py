"""Choosing apart from reading: the same model predicts from groups it chose, and from as many drawn at random."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tirec.analysis.arms import FULL, OWN, RANDOM, Curves, Ground
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.intervals import columns, interval, rounded

METRICS = ("auroc", "calls", "unanswered")


def whole_arm(predictions: pl.DataFrame, ground: Ground, calls: int) -> pl.DataFrame:
    """A model's test predictions of the sampled cases, under the study's protocol without restriction, as an arm."""
    own = predictions.join(ground.cases.select("instance_id"), on="instance_id", how="semi")
    arm = {"arm": pl.lit(FULL), "k": pl.lit(calls, pl.Int64), "draw": pl.lit(0, pl.Int64)}
    return own.with_columns(**arm)


def budget_table(found: Mapping[str, Curves], ground: Ground, rules: EvaluationConfig) -> pl.DataFrame:
    """policy, task, arm, k, auroc, calls, unanswered with intervals; on rows of the own arm `diff` = own - random."""
    rows = [
        _row(policy, curve, arm, k, task, rules) | {"n": n, "n_pos": n_pos}
        for policy, curve in found.items()
        for arm, k in curve
        for task, (n, n_pos) in ground.counts().items()
    ]
    return rounded(pl.DataFrame(rows, schema=_TABLE))


def _row(policy: str, curve: Curves, arm: str, k: int, task: str, rules: EvaluationConfig) -> dict[str, object]:
    row: dict[str, object] = {"policy": policy, "task": task, "arm": arm, "k": k}
    for name in METRICS:
        row |= columns(interval(curve[arm, k][task, name], rules.confidence), name)
    if arm == OWN and (RANDOM, k) in curve:
        gap: np.ndarray = curve[arm, k][task, "auroc"] - curve[RANDOM, k][task, "auroc"]
        row |= columns(interval(gap, rules.confidence), "diff")
    return row


_TABLE = {
    **{"policy": pl.String, "task": pl.String, "arm": pl.String, "k": pl.Int64},
    **{name + end: pl.Float64 for name in (*METRICS, "diff") for end in ("", "_low", "_high")},
    **{"n": pl.Int64, "n_pos": pl.Int64},
}
