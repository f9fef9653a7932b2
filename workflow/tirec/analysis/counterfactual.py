"""Does a model read: what becomes of p when one observation says something else, all else as it was."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tirec.analysis.arms import Ground, over_seeds
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.comparisons import split_model
from tirec.evaluation.intervals import columns, interval, rounded, seed_draws

ORIGINAL = "original"
"""Arm of a case as it is."""
MEASURES = ("change", "size", "rose", "fell")
"""Mean change of p, mean absolute change, share of cases in which p rose, and in which it fell."""
Place = tuple[str, str, str]
"""(task, function, edit)."""


def changes(predictions: pl.DataFrame, ground: Ground) -> pl.DataFrame:
    """One row per edit: instance_id, mrn, task, function, edit, change (p then - p as it was; null: unanswered)."""
    usual = predictions.filter(pl.col("arm") == ORIGINAL).select("instance_id", usual="p")
    edited = predictions.filter(pl.col("arm") != ORIGINAL).join(usual, on="instance_id", how="left")
    case = ground.cases.select("instance_id", "mrn", "task")
    return edited.join(case, on="instance_id").select(
        *("instance_id", "mrn", "task"),
        function=pl.col("groups").list.first(),
        edit="arm",
        change=pl.col("p") - pl.col("usual"),
    )


def measured(changed: pl.DataFrame, ground: Ground) -> dict[Place, dict[str, np.ndarray]]:
    """MEASURES per task, function and edit, each (1 + resamples,); unanswered pairs are left out."""
    found = {}
    answered = changed.drop_nulls("change")
    for (task, function, edit), part in answered.group_by("task", "function", "edit", maintain_order=True):
        delta = part["change"].to_numpy()
        values = {"change": delta, "size": abs(delta), "rose": delta > 0, "fell": delta < 0}
        place = (str(task), str(function), str(edit))
        found[place] = {name: ground.mean(part["mrn"], one.astype(float)) for name, one in values.items()}
    return found


def counterfactual_table(
    predictions: Mapping[str, pl.DataFrame], ground: Ground, rules: EvaluationConfig
) -> pl.DataFrame:
    """policy, task, function, edit, MEASURES with intervals, n, unanswered (pairs without both answers, left out)."""
    changed = {model: changes(frame, ground) for model, frame in predictions.items()}
    runs: dict[str, list[str]] = {}
    for model in changed:
        runs.setdefault(split_model(model)[0], []).append(model)
    rows = [
        row for policy, models in runs.items() for row in _rows(policy, [changed[one] for one in models], ground, rules)
    ]
    return rounded(pl.DataFrame(rows, schema=_TABLE)).sort("policy", "task", "function", "edit", maintain_order=True)


_TABLE = {
    **dict.fromkeys(("policy", "task", "function", "edit"), pl.String),
    **{name + end: pl.Float64 for name in MEASURES for end in ("", "_low", "_high")},
    **{"n": pl.Int64, "unanswered": pl.Int64},
}


def _rows(policy: str, seeds: list[pl.DataFrame], ground: Ground, rules: EvaluationConfig) -> list[dict[str, object]]:
    weights = seed_draws(len(seeds), rules.draws, rules.seed)
    per_seed = [measured(one, ground) for one in seeds]
    rows = []
    for place in per_seed[0]:
        parts = [one[place] for one in per_seed if place in one]
        if len(parts) < len(per_seed):
            continue
        row: dict[str, object] = dict(zip(("policy", "task", "function", "edit"), (policy, *place), strict=True))
        for name in MEASURES:
            row |= columns(interval(over_seeds([one[name] for one in parts], weights), rules.confidence), name)
        rows.append(row | _counted(seeds[0], place))
    return rows


def _counted(changed: pl.DataFrame, place: Place) -> dict[str, int]:
    task, function, edit = place
    own = changed.filter((pl.col("task") == task) & (pl.col("function") == function) & (pl.col("edit") == edit))
    return {"n": own.height, "unanswered": own["change"].null_count()}
