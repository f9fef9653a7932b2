"""A model of columns in the studies: it sees the columns of the same groups, the others are missing."""

from collections.abc import Callable, Collection, Sequence

import numpy as np
import polars as pl

from tirec.agent.episode import Finish
from tirec.analysis.arms import RANDOM, STUDY_SCHEMA
from tirec.analysis.counterfactual import ORIGINAL
from tirec.evidence.menu import DETAILS, REWARDABLE, function_of
from tirec.policy.tabular.policy import hide
from tirec.teacher.rows import Rows

ASKED = (*REWARDABLE, *DETAILS)
"""Functions that say more than the initial view and the task's own words."""
Predict = Callable[[Rows], np.ndarray]
"""(rows,) probabilities."""


def masked(rows: Rows, groups: Sequence[Collection[str]]) -> Rows:
    """Rows in which each instance keeps the columns of its groups and of the initial view; the others are NaN."""
    return hide(rows, ASKED, np.array([[name not in own for name in ASKED] for own in groups]))


def random_arm(predict: Predict, rows: Rows, drawn: pl.DataFrame, budgets: Sequence[int]) -> pl.DataFrame:
    """The random arm of a model of columns: the draws of `drawn` that belong to `rows`, at every budget."""
    parts = []
    for (draw,), part in drawn.group_by("draw", maintain_order=True):
        own = rows.keys.select("instance_id").join(part, on="instance_id", how="left", maintain_order="left")
        for k in budgets:
            groups = [tuple(order[:k]) for order in own["groups"]]
            frame = own.select("instance_id", groups=pl.Series(groups, dtype=pl.List(pl.String)))
            parts.append(_predicted(frame, predict(masked(rows, groups)), RANDOM, k, int(str(draw))))
    return pl.concat(parts)


def edited_arms(predict: Predict, rows: Rows, edits: pl.DataFrame) -> pl.DataFrame:
    """Every edited case with the columns of all ten groups, once as it is and once per edit (see edits.SCHEMA)."""
    place = {instance: at for at, instance in enumerate(rows.keys["instance_id"])}
    usual = masked(rows, [REWARDABLE] * len(rows.values))
    blank = pl.DataFrame({"instance_id": rows.keys["instance_id"], "groups": [[]] * len(rows.values)})
    parts = [_predicted(blank, predict(usual), ORIGINAL, len(REWARDABLE), 0)]
    for (function, edit), part in edits.group_by("function", "edit", maintain_order=True):
        chosen = np.array([place[one] for one in part["instance_id"]])
        values = usual.values[chosen].copy()
        values[:, [function_of(name) == function for name in rows.features]] = np.array(part["values"].to_list())
        changed = Rows(rows.keys[chosen], values, rows.features)
        frame = part.select("instance_id", groups=pl.concat_list("function"))
        parts.append(_predicted(frame, predict(changed), str(edit), len(REWARDABLE), 0))
    return pl.concat(parts).sort("instance_id", "arm", "groups")


def _predicted(frame: pl.DataFrame, p: np.ndarray, arm: str, k: int, draw: int) -> pl.DataFrame:
    whole = frame.with_columns(
        pl.Series("p", p),
        arm=pl.lit(arm),
        k=pl.lit(k),
        draw=pl.lit(draw),
        finish=pl.lit(str(Finish.ANSWERED)),
        calls=pl.lit(None),
    )
    return whole.select(pl.col(name).cast(kind) for name, kind in STUDY_SCHEMA.items())
