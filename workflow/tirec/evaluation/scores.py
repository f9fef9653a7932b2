"""All metrics of one model under all resamples: per task and setting, their mean, pooled, and over tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tirec.evaluation.intervals import Resample, interval
from tirec.evaluation.metrics import METRICS
from tirec.evaluation.weighted import Group, Resampled

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
        resampled = Resampled(_group(cases, sample), sample.weights)
        self.values[place] = {name: METRICS[name](resampled) for name in metrics}
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


def _group(cases: pl.DataFrame, sample: Resample) -> Group:
    return Group(
        label=cases["label"].to_numpy().astype(bool),
        p=cases["p"].to_numpy(),
        flagged=cases["flagged"].to_numpy(),
        patient=sample.index(cases["mrn"].to_numpy()),
        answered=cases["answered"].to_numpy(),
        calls=cases["calls"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
        match=cases["match"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
    )


def table(scores: Scores, confidence: float) -> pl.DataFrame:
    """task, setting, metric, value, ci_low, ci_high, n, n_pos, undefined_draws: one row per place and metric."""
    rows = []
    for place, metrics in scores.values.items():
        n, n_pos = scores.counts[place]
        for name, draws in metrics.items():
            found = interval(draws, confidence)
            measured = (found.value, found.low, found.high, n, n_pos, found.undefined_draws)
            rows.append((*place, name, *measured))
    return pl.DataFrame(rows, schema=_TABLE, orient="row")


_TABLE = {
    "task": pl.String,
    "setting": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "n": pl.Int64,
    "n_pos": pl.Int64,
    "undefined_draws": pl.Int64,
}
