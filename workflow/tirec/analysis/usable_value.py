"""Does a model ask for what it can use: what each group is worth to it, against how often it requests the group."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from scipy.stats import rankdata

from tirec.analysis.arms import OWN, RANDOM, Ground, over_seeds
from tirec.config.evaluation import EvaluationConfig
from tirec.config.studies import StudiesConfig
from tirec.evaluation.comparisons import UNTRAINED, split_model
from tirec.evaluation.intervals import columns, interval, rounded, seed_draws
from tirec.evaluation.metrics import LOG_LOSS_CLIP
from tirec.evaluation.scores import MACRO
from tirec.evidence.menu import REWARDABLE

CHANGE = "change"
"""Row of a table: a trained policy minus the base."""


@dataclass(frozen=True)
class Value:
    """Per task (and `macro`), (1 + resamples, groups): what a group is worth to a model, and how often it asks."""

    benefit: dict[str, np.ndarray]
    rate: dict[str, np.ndarray]

    def minus(self, other: "Value") -> "Value":
        """The change from another model, resample by resample."""
        return Value(_minus(self.benefit, other.benefit), _minus(self.rate, other.rate))


def _minus(left: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {task: values - right[task] for task, values in left.items()}


def value(own: pl.DataFrame, given: pl.DataFrame, ground: Ground, config: StudiesConfig) -> Value:
    """One model's value of each group from its random arm, and its requests under `request_budget` from its own arm."""
    losses = ground.outcomes(given.filter(pl.col("arm") == RANDOM)).with_columns(loss=_loss(config.loss))
    asked = ground.outcomes(own.filter((pl.col("arm") == OWN) & (pl.col("k") == config.request_budget)))
    return Value(_per_task(losses, ground, benefits), _per_task(asked, ground, request_rates))


def _per_task(
    rows: pl.DataFrame, ground: Ground, measure: Callable[[pl.DataFrame, Ground], np.ndarray]
) -> dict[str, np.ndarray]:
    found = {str(task): measure(part, ground) for (task,), part in rows.group_by("task", maintain_order=True)}
    return found | {MACRO: np.mean(list(found.values()), axis=0)}


def _loss(kind: str) -> pl.Expr:
    p, label = pl.col("p"), pl.col("label")
    if kind == "brier":
        return (p - label) ** 2
    p = p.clip(LOG_LOSS_CLIP, 1 - LOG_LOSS_CLIP)
    return -pl.when(label == 1).then(p.log()).otherwise((1 - p).log())


def benefits(losses: pl.DataFrame, ground: Ground) -> np.ndarray:
    """(1 + resamples, groups): mean loss without a group minus with it, beside the same number of other groups.

    Subsets of k groups without it are held against subsets of k + 1 with it, for every two neighbouring budgets, and
    the differences averaged over them; a pair in which a side has no subset is left out. losses: mrn, k, groups, loss.
    """
    budgets = losses["k"].unique().sort().to_list()
    pairs = [(k, after) for k, after in pairwise(budgets) if after == k + 1]
    differences = []
    for k, after in pairs:
        fewer, more = (losses.filter(pl.col("k") == size) for size in (k, after))
        sides = [(_means(fewer, name, False, ground), _means(more, name, True, ground)) for name in REWARDABLE]
        differences.append(np.stack([without - having for without, having in sides], axis=1))
    whole = np.stack(differences)  # (pairs, 1 + resamples, groups)
    defined = ~np.isnan(whole)
    return np.where(defined.any(0), np.where(defined, whole, 0).sum(0) / np.maximum(defined.sum(0), 1), np.nan)


def _means(rows: pl.DataFrame, group: str, having: bool, ground: Ground) -> np.ndarray:
    """(1 + resamples,) mean loss of the subsets that hold a group, or do not; NaN where there are none."""
    chosen = rows.filter(pl.col("groups").list.contains(group) == having)
    return ground.mean(chosen["mrn"], chosen["loss"].to_numpy())


def request_rates(asked: pl.DataFrame, ground: Ground) -> np.ndarray:
    """(1 + resamples, groups): share of cases in which a group was requested. asked: mrn, groups."""
    called = [asked["groups"].list.contains(name).to_numpy().astype(float) for name in REWARDABLE]
    return np.stack([ground.mean(asked["mrn"], one) for one in called], axis=1)


def rank_correlation(benefit: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """(1 + resamples,) Spearman's rho over the groups of each resample; NaN where one side does not vary."""
    left, right = (rankdata(values, axis=1) - (values.shape[1] + 1) / 2 for values in (benefit, rate))
    spread = np.sqrt((left**2).sum(1) * (right**2).sum(1))
    rho = np.where(spread > 0, (left * right).sum(1) / np.where(spread > 0, spread, 1), np.nan)
    return np.where(np.isnan(benefit).any(1) | np.isnan(rate).any(1), np.nan, rho)


def by_policy(values: Mapping[str, Value], rules: EvaluationConfig) -> dict[str, Value]:
    """Policies averaged over their seeds, and `{policy} change`: each trained one minus the base."""
    runs: dict[str, list[Value]] = {}
    for model, one in values.items():
        runs.setdefault(split_model(model)[0], []).append(one)
    found = {policy: _averaged(seeds, rules) for policy, seeds in runs.items()}
    base = found.get(UNTRAINED)
    changes = {f"{name} {CHANGE}": one.minus(base) for name, one in found.items() if base and name != UNTRAINED}
    return found | changes


def _averaged(runs: Sequence[Value], rules: EvaluationConfig) -> Value:
    weights = seed_draws(len(runs), rules.draws, rules.seed)
    benefit = {task: over_seeds([run.benefit[task] for run in runs], weights) for task in runs[0].benefit}
    return Value(benefit, {task: over_seeds([run.rate[task] for run in runs], weights) for task in runs[0].rate})


def value_table(found: Mapping[str, Value], rules: EvaluationConfig) -> pl.DataFrame:
    """policy, task, group, benefit, request_rate with intervals."""
    rows: list[dict[str, object]] = []
    for policy, one in found.items():
        for task in one.benefit:
            for place, group in enumerate(REWARDABLE):
                row: dict[str, object] = {"policy": policy, "task": task, "group": group}
                row |= columns(interval(one.benefit[task][:, place], rules.confidence), "benefit")
                rows.append(row | columns(interval(one.rate[task][:, place], rules.confidence), "request_rate"))
    measured = {name + end: pl.Float64 for name in ("benefit", "request_rate") for end in ("", "_low", "_high")}
    named = dict.fromkeys(("policy", "task", "group"), pl.String)
    return rounded(pl.DataFrame(rows, schema={**named, **measured}))


def correlation_table(found: Mapping[str, Value], rules: EvaluationConfig) -> pl.DataFrame:
    """policy, task, rho with interval over patients (the ten groups are fixed), groups. Descriptive: no test."""
    rows: list[dict[str, object]] = []
    for policy, one in found.items():
        for task in one.benefit:
            rho = rank_correlation(one.benefit[task], one.rate[task])
            found_rho = columns(interval(rho, rules.confidence), "rho")
            rows.append({"policy": policy, "task": task, **found_rho, "groups": len(REWARDABLE)})
    named = dict.fromkeys(("policy", "task"), pl.String)
    measured = dict.fromkeys(("rho", "rho_low", "rho_high"), pl.Float64)
    return rounded(pl.DataFrame(rows, schema={**named, **measured, "groups": pl.Int64}))
