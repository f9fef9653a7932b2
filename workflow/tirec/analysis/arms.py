"""What the studies share: predictions under arms and budgets, scored on one sample of cases and one resample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.errors import DataError
from tirec.evaluation.comparisons import split_model
from tirec.evaluation.intervals import Resample, resample, seed_draws
from tirec.evaluation.outcomes import fill_unanswered, prevalence, read_instances
from tirec.evaluation.scores import MACRO, MEAN, POOLED, Scores
from tirec.records.stored import read_stored

Schema = dict[str, pl.DataType | type[pl.DataType]]
OWN, RANDOM, FULL = "own", "random", "full"
"""Who chose the evidence: the model up to k groups, a draw of exactly k, or the model without a study's restriction."""
STUDY_SCHEMA: Schema = {
    "instance_id": pl.Int64,
    "arm": pl.String,
    "k": pl.Int64,
    "draw": pl.Int64,
    "groups": pl.List(pl.String),
    "p": pl.Float64,
    "finish": pl.String,
    "calls": pl.Int64,
}
Measured = dict[tuple[str, str], np.ndarray]
"""(task or `macro`, metric) -> (1 + resamples,)."""
Curves = dict[tuple[str, int], Measured]
"""(arm, k) -> what is measured there."""


def read_arms(path: Path) -> pl.DataFrame:
    """One model's predictions of a study; DataError where the file is missing, damaged or of another form."""
    return read_stored(path, list(STUDY_SCHEMA))


@dataclass(frozen=True)
class Ground:
    """The cases that every model of a study is measured on."""

    cases: pl.DataFrame
    """instance_id, mrn, split, half, task, setting, label of the sampled cases."""
    rates: pl.DataFrame
    """task, setting, prevalence on train."""
    sample: Resample

    @classmethod
    def read(cls, sampled: pl.Series, instances: Sequence[Path], rules: EvaluationConfig) -> "Ground":
        """The ground of the sampled instance ids."""
        known = read_instances(instances)
        cases = known.filter(pl.col("instance_id").is_in(sampled.unique().implode()))
        return cls(cases, prevalence(known), resample(cases["mrn"].to_numpy(), rules.draws, rules.seed))

    def outcomes(self, predictions: pl.DataFrame) -> pl.DataFrame:
        """One row per prediction with its case, `answered`, and a p everywhere (unanswered: training prevalence)."""
        joined = predictions.join(self.cases, on="instance_id", how="inner", maintain_order="left")
        if joined.height != predictions.height or joined["instance_id"].n_unique() != self.cases.height:
            raise DataError("a study's predictions do not hold exactly the sampled cases; run its first rule again")
        return fill_unanswered(joined.with_columns(answered=pl.col("p").is_not_null()), self.rates)

    def measured(self, predictions: pl.DataFrame, metrics: Sequence[str]) -> Measured:
        """Metrics of one prediction per case: a task's settings pooled, and the mean over tasks."""
        blank = {"flagged": pl.lit(False), "match": pl.lit(None, pl.Float64)}
        outcomes = self.outcomes(predictions).with_columns(**blank)
        scores = Scores({}, {})
        tasks = self.cases["task"].unique(maintain_order=True).to_list()
        for task in tasks:
            scores.add((task, POOLED), outcomes.filter(pl.col("task") == task), self.sample, metrics)
        scores.average((MACRO, MEAN), [(task, POOLED) for task in tasks])
        return {(task, name): found for (task, _), by in scores.values.items() for name, found in by.items()}

    def mean(self, mrn: pl.Series, values: np.ndarray) -> np.ndarray:
        """(1 + resamples,) mean of one value per row, rows of the patients `mrn`; NaN where there are no rows."""
        patient, n = self.sample.index(mrn.to_numpy()), self.sample.patients.size
        total, count = (self.sample.weights @ np.bincount(patient, one, n) for one in (values, np.ones(len(values))))
        return np.where(count > 0, total / np.where(count > 0, count, 1), np.nan)

    def counts(self) -> dict[str, tuple[int, int]]:
        """Cases and positives per task and of all tasks."""
        found = {
            str(task): (part.height, int(part["label"].sum()))
            for (task,), part in self.cases.group_by("task", maintain_order=True)
        }
        return {**found, MACRO: (self.cases.height, int(self.cases["label"].sum()))}


def curves(predictions: pl.DataFrame, ground: Ground, metrics: Sequence[str]) -> Curves:
    """Every arm and budget of one model; the draws of a random arm are averaged."""
    found: Curves = {}
    for (arm, k), part in predictions.group_by("arm", "k", maintain_order=True):
        draws = [ground.measured(one, metrics) for one in part.partition_by("draw", maintain_order=True)]
        found[str(arm), int(str(k))] = {key: np.mean([one[key] for one in draws], axis=0) for key in draws[0]}
    return found


def by_policy(found: Mapping[str, Curves], rules: EvaluationConfig) -> dict[str, Curves]:
    """Models `{policy}.seed{n}` averaged over their training seeds, which are drawn with the patients."""
    seeds: dict[str, list[Curves]] = {}
    for model, one in found.items():
        seeds.setdefault(split_model(model)[0], []).append(one)
    return {policy: _averaged(runs, rules) for policy, runs in seeds.items()}


def _averaged(runs: Sequence[Curves], rules: EvaluationConfig) -> Curves:
    weights = seed_draws(len(runs), rules.draws, rules.seed)  # (1 + resamples, seeds)
    return {
        place: {key: over_seeds([run[place][key] for run in runs], weights) for key in measured}
        for place, measured in runs[0].items()
    }


def over_seeds(per_seed: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """The mean over seeds in every resample; per seed (1 + resamples, ...), weights (1 + resamples, seeds)."""
    return np.einsum("sr...,rs->r...", np.stack(per_seed), weights)
