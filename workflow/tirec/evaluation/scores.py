"""All metrics of one model under all resamples: per task and setting, their mean, pooled, and over tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tirec.evaluation.intervals import Resample, interval
from tirec.evaluation.metrics import METRICS, metric
from tirec.evaluation.weighted import EPISODE_COLUMNS, Group, Resampled

MEAN, POOLED, MACRO = "mean", "pooled", "macro"
"""Rows beside the settings: mean over settings (the headline), all settings' cases together, mean over tasks."""

Place = tuple[str, str]
"""(task, setting)."""


@dataclass(frozen=True)
class Scores:
    """One model's metrics, each under every resample; entry 0 is the sample itself."""

    values: dict[Place, dict[str, np.ndarray]]
    """Per task and setting, per metric, (1 + draws,); NaN = undefined."""
    counts: dict[Place, tuple[int, int]]
    """Per task and setting, cases and positives."""

    def add(self, place: Place, cases: pl.DataFrame, sample: Resample, metrics: Sequence[str]) -> None:
        """Measures cases at a place."""
        resampled = Resampled(group_of(cases, sample), sample.weights)
        self.values[place] = {name: metric(name)(resampled) for name in metrics}
        self.counts[place] = cases.height, int(cases["label"].sum())

    def average(self, place: Place, parts: Sequence[Place]) -> None:
        """The mean over places, in every resample."""
        metrics = self.values[parts[0]]
        self.values[place] = {name: np.mean([self.values[part][name] for part in parts], axis=0) for name in metrics}
        self.counts[place] = sum(self.counts[part][0] for part in parts), sum(self.counts[part][1] for part in parts)


def settings_of(outcomes: pl.DataFrame) -> dict[str, list[str]]:
    """The settings of each task, in the order of the cases."""
    places = outcomes.select("task", "setting").unique(maintain_order=True)
    return {str(task): frame["setting"].to_list() for (task,), frame in places.group_by("task", maintain_order=True)}


def score(
    outcomes: pl.DataFrame,
    sample: Resample,
    settings: Mapping[str, Sequence[str]],
    metrics: Sequence[str] = tuple(METRICS),
    pooled: bool = True,
) -> Scores:
    """Scores flagged outcomes that hold a p everywhere (see thresholds.flag and outcomes.fill_unanswered).

    The mean over `settings` of a task, or over tasks, is undefined where one of its parts is.
    """
    scores = Scores({}, {})
    for task, names in settings.items():
        cases = outcomes.filter(pl.col("task") == task)
        for name in names:
            scores.add((task, name), cases.filter(pl.col("setting") == name), sample, metrics)
        scores.average((task, MEAN), [(task, name) for name in names])
        if pooled:
            scores.add((task, POOLED), cases, sample, metrics)
    scores.average((MACRO, MEAN), [(task, MEAN) for task in settings])
    return scores


def group_of(cases: pl.DataFrame, sample: Resample) -> Group:
    """Outcomes as arrays; what is not known of the episodes is NaN."""
    known = [name for name in EPISODE_COLUMNS if name in cases.columns]
    episodes = {name: cases[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in known}
    unknown = dict.fromkeys(EPISODE_COLUMNS, np.full(cases.height, np.nan))
    return Group(
        label=cases["label"].to_numpy().astype(bool),
        p=cases["p"].to_numpy(),
        flagged=cases["flagged"].to_numpy(),
        patient=sample.index(cases["mrn"].to_numpy()),
        answered=cases["answered"].to_numpy(),
        new_visit=cases["csn"].is_first_distinct().to_numpy(),
        episodes=unknown | episodes,
    )


def table(scores: Scores, confidence: float) -> pl.DataFrame:
    """One row per place and metric: task, setting, metric, value, ci_low, ci_high, n, n_pos, undefined_draws, note.

    The note says why a value is undefined.
    """
    rows = []
    for place, metrics in scores.values.items():
        n, n_pos = scores.counts[place]
        for name, draws in metrics.items():
            found = interval(draws, confidence)
            note = None if found.value is not None else undefined(place, name, n, n_pos)
            rows.append((*place, name, found.value, found.low, found.high, n, n_pos, found.undefined_draws, note))
    return pl.DataFrame(rows, schema=_TABLE, orient="row")


def undefined(place: Place, name: str, n: int, n_pos: int) -> str:
    """Why a metric has no value at a place."""
    if name in OF_EPISODES:
        return "undefined (not known of this model, or nothing stated)"
    if place[1] == MEAN:
        return "undefined (so is one of its parts)"
    empty = "n = 0" if n == 0 else "n_pos = 0" if n_pos == 0 else "n_neg = 0" if n_pos == n else "no variation in p"
    return f"undefined ({empty})"


OF_EPISODES = ("calls", "match_f1", "numbers_stated", "cases_with_slip", "numbers_wrong", "numbers_unverifiable")
"""Metrics that tell of episodes, not of predictions."""
_TABLE = {
    **dict.fromkeys(("task", "setting", "metric"), pl.String),
    **dict.fromkeys(("value", "ci_low", "ci_high"), pl.Float64),
    **dict.fromkeys(("n", "n_pos", "undefined_draws"), pl.Int64),
    "note": pl.String,
}
