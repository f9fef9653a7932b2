"""Every policy of LA-CDM beside the reference on the same test cases, paired over patients and training seeds."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.config.lacdm import CONDITIONS
from tirec.errors import DataError
from tirec.evaluation.comparisons import Columns, by_policy, compared, headers
from tirec.evaluation.intervals import Resample, resample, rounded
from tirec.evaluation.scores import MEAN, Scores
from tirec.lacdm.scores import diagnosis_scores, hypothesis_scores, weighted

PLACE = ("diagnosis", MEAN)
BY_CONDITION = tuple(f"accuracy_{name}" for name in CONDITIONS)
ACCURACIES = ("mean_accuracy", "accuracy", "macro_f1", "micro_f1", *BY_CONDITION)
STATED = ("hypothesis_accuracy", "ece", "brier")
COLUMNS = Columns(
    compared=(*ACCURACIES, "cost", "tests", *STATED, *(f"{name}_last" for name in STATED)),
    shown=(
        *(f"{name}_answered" for name in ACCURACIES),
        *("undiagnosed", "unavailable", "unknown", "unknown_last", "confidence", "confidence_last"),
    ),
)
"""Plain names count a case without a diagnosis as wrong, `_answered` leave it out; `_last` = each case's last turn."""


@dataclass(frozen=True)
class Model:
    """What one model left behind on the test split."""

    predictions: pl.DataFrame
    hypotheses: pl.DataFrame | None
    """None for a model without a hypothesis agent."""


def policy_table(models: Mapping[str, Model], rules: EvaluationConfig) -> pl.DataFrame:
    """One row per policy: values, intervals, differences to the reference, counts; models `{policy}.seed{n}` or bare.

    Raises DataError where two models were not asked about the same cases.
    """
    cases = _same_cases(models)
    sample = resample(cases["patient"].to_numpy(), rules.draws, rules.seed)
    scores = {name: scores_of(model, sample) for name, model in models.items()}
    frame = compared(by_policy(scores), rules, COLUMNS).drop("n_pos")
    kept = [name for name in headers(COLUMNS) if name in frame.columns and name != "task"]
    return rounded(frame.select(kept).with_columns(cases=pl.lit(_counts(cases))))


def scores_of(model: Model, sample: Resample) -> Scores:
    """Every metric of one model under the resample; NaN where it does not apply."""
    values = diagnosis_scores(weighted(model.predictions, sample))
    if model.hypotheses is not None and model.hypotheses.height:
        values |= hypothesis_scores(weighted(model.hypotheses, sample))
    blank = np.full(sample.weights.shape[0], np.nan)
    every = {name: values.get(name, blank) for name in (*COLUMNS.compared, *COLUMNS.shown)}
    return Scores({PLACE: every}, {PLACE: (model.predictions.height, model.predictions.height)})


def _same_cases(models: Mapping[str, Model]) -> pl.DataFrame:
    """case_id, patient, condition of the test cases, the same for every model."""
    kept = ["case_id", "patient", "condition"]
    frames = {name: model.predictions.select(kept).sort("case_id") for name, model in models.items()}
    first = next(iter(frames))
    for name, frame in frames.items():
        if not frame.equals(frames[first]):
            raise DataError(f"{name} and {first} were not asked about the same cases; predict both again")
    return frames[first]


def _counts(cases: pl.DataFrame) -> str:
    """Cases by condition, as `appendicitis:96 …`: what the accuracies are shares of."""
    counts = dict(cases.group_by("condition").len().iter_rows())
    return " ".join(f"{name}:{counts.get(name, 0)}" for name in CONDITIONS)
