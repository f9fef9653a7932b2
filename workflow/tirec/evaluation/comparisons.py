"""Policies and models beside the reference, paired over patients and training seeds; the ablation table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.errors import DataError
from tirec.evaluation.intervals import bootstrap_p, holm, interval, rounded, seed_draws
from tirec.evaluation.intervals import columns as with_limits
from tirec.evaluation.scores import MACRO, MEAN, Place, Scores

COMPARED = ("f1", "auprc", "auroc", "precision", "recall", "flagged")
"""Metrics with an interval and a difference to the reference."""
SHOWN = ("f1_at_half", "calls", "match_f1", "unanswered")
"""Metrics given as a value alone."""


class Columns(NamedTuple):
    """What a table of policies shows of each."""

    compared: tuple[str, ...]
    """Metrics with an interval and a difference to the reference."""
    shown: tuple[str, ...]
    """Metrics given as a value alone."""


TOOL_USE = Columns(COMPARED, SHOWN)
ENDINGS = ("", "_low", "_high", "_diff", "_diff_low", "_diff_high", "_p")
"""Columns of a compared metric: value and interval, difference to the reference and its interval, adjusted p."""
UNTRAINED = "base"
"""The policy that has no training seed; it stands beside every seed of the others."""


class ComparisonError(DataError):
    """Models that cannot be set side by side."""


@dataclass(frozen=True)
class Runs:
    """One policy's scores, one per training seed (None = made without one)."""

    policy: str
    seeds: tuple[int | None, ...]
    scores: tuple[Scores, ...]

    @property
    def trained(self) -> bool:
        """Whether another training seed would have given another model."""
        return self.seeds != (None,)

    def draws(self, place: Place, metric: str, weights: np.ndarray) -> np.ndarray:
        """(1 + draws,) the metric averaged over the seeds that each draw holds; weights (1 + draws, seeds)."""
        per_seed = np.stack([scores.values[place][metric] for scores in self.scores])  # (seeds, 1 + draws)
        return np.einsum("sd,ds->d", per_seed, weights) if self.trained else per_seed[0]


def by_policy(scores: Mapping[str, Scores]) -> dict[str, Runs]:
    """Models `{policy}.seed{n}` (or a bare name) as policies, in the order given; seeds ascend."""
    found: dict[str, dict[int | None, Scores]] = {}
    for model, model_scores in scores.items():
        policy, seed = split_model(model)
        found.setdefault(policy, {})[seed] = model_scores
    return {policy: _runs(policy, by_seed) for policy, by_seed in found.items()}


def _runs(policy: str, by_seed: Mapping[int | None, Scores]) -> Runs:
    seeds = sorted(by_seed, key=lambda seed: -1 if seed is None else seed)
    return Runs(policy, tuple(seeds), tuple(by_seed[seed] for seed in seeds))


def split_model(model: str) -> tuple[str, int | None]:
    """`full.seed0` is policy full, seed 0; the base and models without a seed have none."""
    policy, _, seed = model.partition(".seed")
    return policy, int(seed) if seed and policy != UNTRAINED else None


def ablation_table(scores: Mapping[str, Scores], selected_steps: pl.DataFrame, rules: EvaluationConfig) -> pl.DataFrame:
    """One row per policy and task, and `macro`: values, intervals, differences to the reference, adjusted p.

    selected_steps: policy, seed, task, step. Raises ComparisonError without the reference or with unequal seeds.
    """
    frame = compared(by_policy(scores), rules)
    steps = steps_text(selected_steps)
    return rounded(frame.join(steps, on=["policy", "task"], how="left", maintain_order="left").select(headers()))


def compared(runs: Mapping[str, Runs], rules: EvaluationConfig, columns: Columns = TOOL_USE) -> pl.DataFrame:
    """One row per policy and task, and `macro`: the columns of `headers` without the selected steps, all digits.

    Raises ComparisonError without the reference or with unequal seeds.
    """
    weights = seed_weights(runs, rules)
    where = places(runs, rules)
    rows = [_row(policy, place, runs, weights, rules, columns) for policy in runs.values() for place in where]
    return _adjusted(pl.DataFrame(rows, schema=_schema(columns)), columns)


def places(runs: Mapping[str, Runs], rules: EvaluationConfig) -> list[Place]:
    """What a row is about: each task's mean over its settings, and their mean."""
    return [place for place in _reference(runs, rules).scores[0].values if place[1] == MEAN]


def headers(columns: Columns = TOOL_USE) -> list[str]:
    """The columns of the ablation table, in order."""
    with_differences = [name + ending for name in columns.compared for ending in ENDINGS]
    return ["policy", "task", *with_differences, *columns.shown, "selected_steps", "seeds", "n", "n_pos"]


def _schema(columns: Columns) -> dict[str, type[pl.DataType]]:
    kinds: dict[str, type[pl.DataType]] = {"policy": pl.String, "task": pl.String}
    kinds |= {"seeds": pl.Int64, "n": pl.Int64, "n_pos": pl.Int64}
    return {name: kinds.get(name, pl.Float64) for name in headers(columns) if name != "selected_steps"}


def _reference(runs: Mapping[str, Runs], rules: EvaluationConfig) -> Runs:
    if rules.reference not in runs:
        raise ComparisonError(f"the policy {rules.reference!r}, with which the others are compared, has no predictions")
    return runs[rules.reference]


def seed_weights(runs: Mapping[str, Runs], rules: EvaluationConfig) -> np.ndarray:
    """(1 + draws, seeds): one draw of training seeds for all policies, so that differences stay paired."""
    reference = _reference(runs, rules)
    for policy in runs.values():
        if policy.trained and policy.seeds != reference.seeds:
            raise ComparisonError(f"{policy.policy} has the seeds {policy.seeds}, {reference.policy} {reference.seeds}")
    return seed_draws(len(reference.seeds), rules.draws, rules.seed)


def _row(
    policy: Runs,
    place: Place,
    runs: Mapping[str, Runs],
    weights: np.ndarray,
    rules: EvaluationConfig,
    columns: Columns,
) -> dict[str, object]:
    reference = _reference(runs, rules)
    row: dict[str, object] = dict.fromkeys(_schema(columns)) | {"policy": policy.policy, "task": place[0]}
    for name in columns.compared:
        own = policy.draws(place, name, weights)
        row |= with_limits(interval(own, rules.confidence), name)
        if policy is not reference:
            difference = own - reference.draws(place, name, weights)
            row |= with_limits(interval(difference, rules.confidence), f"{name}_diff")
            row[f"{name}_p"] = _p(policy, reference, difference, rules)
    row |= {name: interval(policy.draws(place, name, weights), rules.confidence).value for name in columns.shown}
    n, n_pos = policy.scores[0].counts[place]
    return row | {"seeds": len(policy.seeds) if policy.trained else None, "n": n, "n_pos": n_pos}


def _p(policy: Runs, reference: Runs, difference: np.ndarray, rules: EvaluationConfig) -> float | None:
    """None with one training seed (its variance is unknown) and for a policy that was not named beforehand."""
    named = policy.policy in rules.comparisons
    return bootstrap_p(difference) if named and len(reference.seeds) > 1 else None


def _adjusted(frame: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Holm over the named comparisons, for each metric and task by itself."""
    parts = []
    for part in frame.with_row_index("_place").partition_by("task", maintain_order=True):
        adjusted = [pl.Series(f"{name}_p", holm(part[f"{name}_p"].to_list()), pl.Float64) for name in columns.compared]
        parts.append(part.with_columns(adjusted))
    return pl.concat(parts).sort("_place").drop("_place")


def steps_text(selected_steps: pl.DataFrame) -> pl.DataFrame:
    """policy, task, selected_steps: the steps of all seeds, and for `macro` those of all tasks."""
    steps = selected_steps.filter(pl.col("step").is_not_null()).sort("seed", maintain_order=True)
    per_task = steps.group_by("policy", "task", maintain_order=True).agg(
        pl.col("step").cast(pl.String).str.join(",").alias("selected_steps")
    )
    named = (pl.col("task") + ":" + pl.col("selected_steps")).str.join(" ").alias("selected_steps")
    macro = per_task.group_by("policy", maintain_order=True).agg(pl.lit(MACRO).alias("task"), named)
    return pl.concat([per_task, macro])
