"""Making p agree with validation half B: a rising map from a model's p to a calibrated one, per task."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

CLIP = 1e-6
"""p is kept this far from 0 and 1 before log odds are taken."""


class Calibrator(Protocol):
    """A rising map of probabilities."""

    def __call__(self, p: np.ndarray) -> np.ndarray:
        """(rows,) calibrated p."""
        ...


@dataclass(frozen=True)
class Sigmoid:
    """Platt's map: log odds times a slope plus an intercept."""

    slope: float
    intercept: float

    def __call__(self, p: np.ndarray) -> np.ndarray:
        """(rows,) calibrated p, in the same order as p."""
        return 1 / (1 + np.exp(-(self.slope * _log_odds(p) + self.intercept)))


@dataclass(frozen=True)
class Isotonic:
    """A staircase through the observed shares, level between them."""

    steps: IsotonicRegression

    def __call__(self, p: np.ndarray) -> np.ndarray:
        """(rows,) calibrated p; cases on one stair are tied."""
        return np.asarray(self.steps.predict(p))


def fit(
    p: np.ndarray, label: np.ndarray, kind: Literal["sigmoid", "isotonic", "none"]
) -> tuple[Calibrator | None, str]:
    """The map and how it came about; None where there is none to be had, or none was asked for."""
    if kind == "none":
        return None, "none"
    if not 0 < label.sum() < label.size:
        return None, "none: half B is of one class"
    if kind == "isotonic":
        return Isotonic(IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, label)), kind
    # A weak penalty only bounds the slope where half B is perfectly separated.
    fitted = LogisticRegression(C=1e3).fit(_log_odds(p)[:, None], label)
    slope, intercept = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if slope <= 0:
        return None, "none: half B ranks the other way round"
    return Sigmoid(slope, intercept), kind


def _log_odds(p: np.ndarray) -> np.ndarray:
    kept = np.clip(p.astype(float), CLIP, 1 - CLIP)
    return np.log(kept / (1 - kept))
