"""Scores of every model of a table, from predictions and the thresholds in their metrics tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.comparisons import COMPARED, SHOWN, UNTRAINED, ComparisonError
from tirec.evaluation.model_metrics import THRESHOLD_COLUMNS, Benchmark, read_thresholds
from tirec.evaluation.outcomes import fill_unanswered, read_predictions
from tirec.evaluation.scores import Scores, score, settings_of
from tirec.evaluation.thresholds import flag
from tirec.policy.policy_file import PolicyFile
from tirec.records.stored import read_table


@dataclass(frozen=True)
class Measured:
    """One model's test predictions and its metrics table."""

    predictions: pl.DataFrame
    metrics: pl.DataFrame
    match: pl.DataFrame | None
    """instance_id, match; None for a model without calls."""


def read_measured(
    models: Sequence[str], predictions: Sequence[Path], metrics: Sequence[Path], match: Mapping[str, pl.DataFrame]
) -> dict[str, Measured]:
    """The named models in their order, from files `{model}/test.parquet` and `{model}.tsv`."""
    predicted = {path.parent.name: path for path in predictions}
    measured = {path.stem: path for path in metrics}
    if missing := [model for model in models if model not in predicted or model not in measured]:
        raise ComparisonError(f"{missing[0]}: predictions or metrics of this model were not given")
    return {
        model: Measured(
            read_predictions(predicted[model]),
            read_table(measured[model], THRESHOLD_COLUMNS),
            match.get(model),
        )
        for model in models
    }


def score_models(models: dict[str, Measured], benchmark: Benchmark, rules: EvaluationConfig) -> dict[str, Scores]:
    """Each model on the same cases under the same resamples, with its own thresholds from validation half B."""
    sample = benchmark.resample(rules)
    scores = {}
    for name, model in models.items():
        outcomes = benchmark.test_outcomes(model.predictions, model.match)
        flagged = flag(fill_unanswered(outcomes, benchmark.rates), read_thresholds(model.metrics))
        scores[name] = score(flagged, sample, settings_of(outcomes), COMPARED + SHOWN, pooled=False)
    return scores


def selected_steps(policies: Sequence[Path]) -> pl.DataFrame:
    """policy, seed, task, step of policy files `{policy}/seed{n}/{task}/policy.json`; the base was not selected."""
    kinds = {"policy": pl.String, "seed": pl.Int64, "task": pl.String, "step": pl.Int64}
    rows = [_selected_step(path) for path in policies]
    return pl.DataFrame(rows, schema=kinds, orient="row").filter(pl.col("policy") != UNTRAINED)


def _selected_step(path: Path) -> tuple[str, int, str, int]:
    policy, seed, task = path.parts[-4:-1]
    return policy, int(seed.removeprefix("seed")), task, PolicyFile.read(path).selected_step
