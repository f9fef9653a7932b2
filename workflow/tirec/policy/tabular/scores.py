"""Scores that learn nothing: triage acuity, and NEWS2 without consciousness. Both rise with how ill a patient looks.

NEWS2: Royal College of Physicians, National Early Warning Score (NEWS) 2, London 2017, chart 1 (SpO2 scale 1). Each
parameter is the latest charted or monitored value by the cutoff, else the one at triage; a missing one scores 0, as is
usual in retrospective use. Level of consciousness is not recorded in the emergency department's tables, so that the
highest score is 17 rather than 20.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tirec.teacher.rows import TeacherError

URGENT = 3
"""The middle of the five triage levels, taken where none was recorded."""
LEVELS = 5


@dataclass(frozen=True)
class Parameter:
    """One line of the NEWS2 chart."""

    latest: str
    """Column of the latest value by the cutoff."""
    arrival: str
    """Column of the value at triage."""
    decimals: int
    """Digits of the chart; values are rounded to them first."""
    limits: tuple[float, ...]
    """Ascending; a value at or below limits[i], and above limits[i - 1], scores points[i]."""
    points: tuple[int, ...]
    """One more than limits."""

    def score(self, value: np.ndarray) -> np.ndarray:
        """(rows,) points; 0 where the value is missing."""
        place = np.searchsorted(self.limits, np.round(value.astype(float), self.decimals), side="left")
        return np.where(np.isnan(value), 0, np.asarray(self.points)[place])


CHART = (
    Parameter("respiratory_rate__last", "triage__respiratory_rate", 0, (8, 11, 20, 24), (3, 1, 0, 2, 3)),
    Parameter("oxygen_saturation__last", "triage__spo2", 0, (91, 93, 95), (3, 2, 1, 0)),
    Parameter("blood_pressure__sbp_last", "triage__sbp", 0, (90, 100, 110, 219), (3, 2, 1, 0, 3)),
    Parameter("heart_rate__last", "triage__heart_rate", 0, (40, 50, 90, 110, 130), (3, 1, 0, 1, 2, 3)),
    Parameter("temperature__last", "triage__temperature", 1, (35.0, 36.0, 38.0, 39.0), (3, 1, 0, 1, 2)),
)
OXYGEN = "oxygen_saturation__o2_flow_last"
OXYGEN_POINTS = 2
NEWS2_HIGHEST = sum(max(parameter.points) for parameter in CHART) + OXYGEN_POINTS


def acuity(values: np.ndarray, features: Sequence[str]) -> np.ndarray:
    """(rows,) 0 (non-urgent) to 1 (resuscitation); an unrecorded level counts as urgent, the middle one."""
    level = _column(values, features, "triage__acuity")
    return (LEVELS - np.where(np.isnan(level), URGENT, level)) / (LEVELS - 1)


def news2(values: np.ndarray, features: Sequence[str]) -> np.ndarray:
    """(rows,) points as a share of the highest possible score."""
    points = np.zeros(len(values))
    for parameter in CHART:
        latest, arrival = (_column(values, features, name) for name in (parameter.latest, parameter.arrival))
        points += parameter.score(np.where(np.isnan(latest), arrival, latest))
    points += OXYGEN_POINTS * (np.nan_to_num(_column(values, features, OXYGEN)) > 0)
    return points / NEWS2_HIGHEST


def _column(values: np.ndarray, features: Sequence[str], name: str) -> np.ndarray:
    if name not in features:
        raise TeacherError(f"the features have no column {name}, which the score needs")
    return values[:, list(features).index(name)]


SCORES = {"acuity": acuity, "news2": news2}


class ScoreClassifier(ClassifierMixin, BaseEstimator):
    """A score as a classifier: nothing to fit, `predict_proba` gives the score between 0 and 1."""

    def __init__(self, score: str, features: Sequence[str]) -> None:
        self.score = score
        self.features = features

    def fit(self, values: np.ndarray, label: np.ndarray) -> "ScoreClassifier":  # noqa: ARG002 (scikit-learn's form)
        """Notes the classes; a score learns nothing from rows."""
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, values: np.ndarray) -> np.ndarray:
        """(rows, 2) share of the score against and for the outcome."""
        share = SCORES[self.score](values, self.features)
        return np.column_stack([1 - share, share])
