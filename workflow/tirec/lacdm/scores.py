"""Metrics of LA-CDM under every patient resample: diagnosis, cost, and how well stated confidences are meant.

Two conventions for a case without a diagnosis: it counts as wrong (plain names), or it is left out (`_answered`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.evaluation.intervals import Resample
from tirec.lacdm.dialogue import Dialogue
from tirec.lacdm.results import hypotheses, prediction_row
from tirec.training.practice import Judgement

Values = dict[str, np.ndarray]
"""Metric -> (resamples,); NaN = undefined."""


@dataclass(frozen=True)
class Weighted:
    """Rows of a table with how often each resample drew their patient."""

    frame: pl.DataFrame
    weights: np.ndarray
    """(resamples, rows)"""

    def total(self, values: np.ndarray) -> np.ndarray:
        """(resamples,) weighted sum of one value per row."""
        return self.weights @ np.asarray(values, dtype=float)

    def mean(self, values: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
        """(resamples,) weighted mean, over the rows `among`; NaN where there are none."""
        counted = np.ones(self.frame.height) if among is None else np.asarray(among, dtype=float)
        return _share(self.total(np.asarray(values, dtype=float) * counted), self.total(counted))

    def only(self, kept: np.ndarray) -> "Weighted":
        """The rows where `kept`."""
        return Weighted(self.frame.filter(pl.Series(kept)), self.weights[:, kept])


def weighted(frame: pl.DataFrame, sample: Resample) -> Weighted:
    """A table with a column `patient` under a resample."""
    return Weighted(frame, sample.weights[:, sample.index(frame["patient"].to_numpy())])


def diagnosis_scores(cases: Weighted) -> Values:
    """Accuracy by condition, its mean, over cases, F1, in both conventions; undiagnosed, cost, tests, unavailable."""
    answered = cases.frame["predicted"].is_not_null().to_numpy()
    found = _classification(cases)
    found |= {f"{name}_answered": value for name, value in _classification(cases.only(answered)).items()}
    found["undiagnosed"] = cases.mean(~answered)
    found["cost"] = cases.mean(cases.frame["cost"].to_numpy())
    found["tests"] = cases.mean(cases.frame["tests"].list.len().to_numpy())
    found["unavailable"] = cases.mean(cases.frame["requested"].list.len().to_numpy()) - found["tests"]
    return found


def _classification(cases: Weighted) -> Values:
    true = cases.frame["condition"].to_numpy()
    said = cases.frame["predicted"].fill_null("").to_numpy()
    right = true == said
    of = {name: cases.mean(right, true == name) for name in CONDITIONS}
    f1 = [
        _share(2 * cases.total(right & (true == name)), cases.total(true == name) + cases.total(said == name))
        for name in CONDITIONS
    ]
    micro = _share(2 * cases.total(right), cases.total(np.ones(true.size)) + cases.total(said != ""))
    return {
        **{f"accuracy_{name}": value for name, value in of.items()},
        "mean_accuracy": np.mean(list(of.values()), axis=0),
        "accuracy": cases.mean(right),
        "micro_f1": micro,
        "macro_f1": np.mean(f1, axis=0),
    }


def hypothesis_scores(stated: Weighted) -> Values:
    """Accuracy, calibration error and Brier score of stated hypotheses, over every turn and over each case's last."""
    last = stated.only(stated.frame["last"].to_numpy())
    found = _stated(stated)
    return found | {f"{name}_last": value for name, value in _stated(last).items()}


def _stated(rows: Weighted) -> Values:
    right = _right(rows)
    complete = (rows.frame["hypothesis"].is_not_null() & rows.frame["confidence"].is_not_null()).to_numpy()
    kept = rows.only(complete)
    confidence, hit = kept.frame["confidence"].to_numpy(), _right(kept)
    return {
        "hypothesis_accuracy": rows.mean(right),
        "unknown": rows.mean(rows.frame["hypothesis"].is_null().to_numpy()),
        "ece": calibration_error(kept, confidence, hit),
        "brier": kept.mean((confidence - hit) ** 2),
        "confidence": kept.mean(confidence),
    }


def _right(rows: Weighted) -> np.ndarray:
    return (rows.frame["hypothesis"] == rows.frame["condition"]).fill_null(value=False).to_numpy()


def calibration_error(rows: Weighted, confidence: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Expected calibration error with one bin per stated level (edges -0.05, 0.05, …, 1.05)."""
    level = np.rint(confidence * 10).astype(int)
    gaps = [np.abs(rows.total((confidence - right) * (level == one))) for one in range(11)]
    return _share(np.sum(gaps, axis=0), rows.total(np.ones(level.size)))


def reliability(stated: pl.DataFrame) -> pl.DataFrame:
    """confidence, n, accuracy for each stated level, over every turn."""
    known = stated.filter(pl.col("hypothesis").is_not_null() & pl.col("confidence").is_not_null())
    hit = pl.col("hypothesis") == pl.col("condition")
    return known.group_by("confidence").agg(n=pl.len(), accuracy=hit.mean()).sort("confidence")


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)


def judge(dialogues: Sequence[Dialogue]) -> Judgement:
    """Scores of finished dialogues as they are, for a validation: what was diagnosed, and what was believed."""
    rows = pl.DataFrame([prediction_row(one) for one in dialogues], infer_schema_length=None)
    found = {"diagnosis": diagnosis_scores(_as_they_are(rows))}
    stated = hypotheses(dialogues)
    if stated.height:
        found["hypothesis"] = hypothesis_scores(_as_they_are(stated))
    return {name: _numbers(values) for name, values in found.items()}


def _as_they_are(frame: pl.DataFrame) -> Weighted:
    return Weighted(frame, np.ones((1, frame.height)))


def _numbers(values: Mapping[str, np.ndarray]) -> dict[str, float]:
    return {name: float(value[0]) for name, value in values.items()}
