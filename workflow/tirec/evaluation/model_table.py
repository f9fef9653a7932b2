"""Table 1: the reference policy beside every other model, and which is best where the difference holds."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.comparisons import COMPARED, ENDINGS, Runs, by_policy, compared, places, seed_weights
from tirec.evaluation.intervals import interval, rounded
from tirec.evaluation.scores import Place, Scores

MARKED = ("f1", "auprc", "auroc", "precision", "recall")
"""Metrics of which more is better; each has a column `{metric}_mark`: best, second, or empty."""
SHOWN = ("f1_at_half", "calls", "unanswered")
"""Metrics given as a value alone."""


def model_table(scores: Mapping[str, Scores], rules: EvaluationConfig) -> pl.DataFrame:
    """One row per model and task, and `macro`; raises ComparisonError without the reference or with unequal seeds."""
    rules = rules.model_copy(update={"comparisons": rules.model_comparisons})
    runs = by_policy(scores)
    joined = compared(runs, rules).join(
        mark_table(runs, rules), on=["policy", "task"], how="left", maintain_order="left"
    )
    return rounded(joined.rename({"policy": "model"}).select(headers()))


def mark_table(runs: Mapping[str, Runs], rules: EvaluationConfig) -> pl.DataFrame:
    """policy, task and `{metric}_mark` of every row of a table, in its order."""
    weights = seed_weights(runs, rules)
    marked = pl.concat(_marks(runs, place, weights, rules.confidence) for place in places(runs, rules))
    order = {policy: place for place, policy in enumerate(runs)}
    return marked.sort(pl.col("policy").replace_strict(order), maintain_order=True)


def headers() -> list[str]:
    """The columns of the table, in order."""
    endings = {name: (*ENDINGS, "_mark") if name in MARKED else ENDINGS for name in COMPARED}
    metrics = [name + ending for name in COMPARED for ending in endings[name]]
    return ["model", "task", *metrics, *SHOWN, "seeds", "n", "n_pos"]


def _marks(runs: Mapping[str, Runs], place: Place, weights: np.ndarray, confidence: float) -> pl.DataFrame:
    """policy, task and the marks of one place."""
    frame = pl.DataFrame({"policy": list(runs), "task": place[0]})
    for name in MARKED:
        draws = {model: run.draws(place, name, weights) for model, run in runs.items()}
        given = marks(draws, confidence)
        frame = frame.with_columns(pl.Series(f"{name}_mark", [given.get(model) for model in runs], pl.String))
    return frame


def marks(draws: Mapping[str, np.ndarray], confidence: float) -> dict[str, str]:
    """`best` for the highest value if its paired difference to every lower one has an interval above 0.

    `second` likewise for the next, against all below it, and only where there is a best. draws: (1 + draws,) per model.
    """
    ranked = sorted((model for model in draws if not np.isnan(draws[model][0])), key=lambda model: -draws[model][0])
    given = {}
    for place, mark in enumerate(("best", "second")):
        below = ranked[place + 1 :]
        if not below or not all(_holds(draws[ranked[place]] - draws[other], confidence) for other in below):
            break
        given[ranked[place]] = mark
    return given


def _holds(difference: np.ndarray, confidence: float) -> bool:
    low = interval(difference, confidence).low
    return low is not None and low > 0
