"""Whether probabilities mean what they say: slope and intercept, smooth calibration error, and recalibration.

All are about the rate of positives at a predicted p (never about the rate of correct decisions).
"""

from dataclasses import dataclass

import numpy as np
from scipy.fft import dct, idct
from scipy.special import expit

from tirec.evaluation.weighted import BLOCK, Resampled

CLIP = 1e-6
"""Probabilities are kept this far from 0 and 1 before their log odds are taken."""
FINENESS = 0.005
"""In the resamples, log odds closer than this are fitted as one: far below an interval's width, ten times as fast."""
STEPS, CONVERGED, STEEPEST = 40, 1e-9, 50.0
"""Newton steps at most; the change at which they stop; a slope beyond which the classes count as separated."""
CELLS = 512
"""Cells of the unit interval in which the smooth calibration error is worked out."""
HALVINGS = 14
"""Bisections of its bandwidth."""


def log_odds(p: np.ndarray) -> np.ndarray:
    """log(p / (1 - p)), p kept off 0 and 1."""
    clipped = np.clip(p, CLIP, 1 - CLIP)
    return np.log(clipped / (1 - clipped))


@dataclass(frozen=True)
class _Levels:
    """Cases with (nearly) equal p together, under some resamples."""

    odds: np.ndarray
    """(levels, 1) log odds."""
    cases: np.ndarray
    """(levels, resamples) weighted cases."""
    positives: np.ndarray
    """(levels, resamples) weighted positives."""


def calibration_slope(cases: Resampled) -> np.ndarray:
    """b of logit P(positive) = a + b logit p, by maximum likelihood; 1 is right, below 1 is too extreme.

    Undefined with one class, with constant p, and where p separates the classes.
    """
    return _logistic(cases, sloped=True)[:, 1]


def calibration_intercept(cases: Resampled) -> np.ndarray:
    """a of logit P(positive) = a + logit p: above 0, outcomes are more frequent than predicted (in log odds)."""
    return _logistic(cases, sloped=False)[:, 0]


@dataclass(frozen=True)
class Recalibration:
    """A straight line in log odds."""

    intercept: float
    slope: float

    def apply(self, p: np.ndarray) -> np.ndarray:
        """p on the line."""
        return expit(self.intercept + self.slope * log_odds(p))


UNCHANGED = Recalibration(0.0, 1.0)


def recalibration(cases: Resampled) -> Recalibration:
    """The line that fits the cases best; with a constant p only its intercept moves, with one class nothing does."""
    for sloped in (True, False):
        intercept, slope = _logistic(cases, sloped)[0]
        if not np.isnan(intercept):
            return Recalibration(float(intercept), float(slope))
    return UNCHANGED


def _logistic(cases: Resampled, sloped: bool) -> np.ndarray:
    """(resamples, 2) intercept and slope; the sample itself is fitted first and starts the others. NaN = undefined."""
    start = np.array([[0.0], [1.0]])
    fits = [_fit(_levels(cases, cases.weights[:1], fineness=0), start, sloped)]
    start = np.where(np.isnan(fits[0]), start, fits[0])
    drawn = cases.weights[1:]
    for block in np.array_split(drawn, max(1, -(-len(drawn) // BLOCK))):
        levels = _levels(cases, block, FINENESS)
        fits.append(_fit(levels, np.repeat(start, len(block), axis=1), sloped))
    return np.concatenate(fits, axis=1).T


def _levels(cases: Resampled, weights: np.ndarray, fineness: float) -> _Levels:
    odds = log_odds(cases.group.p)
    cell = np.round(odds / fineness) if fineness else odds
    _, level, size = np.unique(cell, return_inverse=True, return_counts=True)
    every = cases.per_level(level, size.size, np.ones(level.size))
    positive = cases.per_level(level, size.size, cases.group.label)
    return _Levels((np.bincount(level, weights=odds) / size)[:, None], every @ weights.T, positive @ weights.T)


def _fit(levels: _Levels, start: np.ndarray, sloped: bool) -> np.ndarray:
    """(2, resamples) by Newton steps, each at most 2 long; NaN where they do not settle or the slope runs away."""
    found = np.array(start, dtype=float)
    change = np.full(found.shape[1], np.inf)
    open_ = _determined(levels, sloped)
    for _ in range(STEPS):
        going = np.flatnonzero(open_ & (change > CONVERGED))
        if not going.size:
            break
        part = _Levels(levels.odds, levels.cases[:, going], levels.positives[:, going])
        step = np.clip(_newton(part, found[:, going], sloped), -2, 2)
        found[:, going] += step
        change[going] = np.abs(step).max(axis=0)
        open_[going] &= np.abs(found[1, going]) < STEEPEST
    return np.where(open_ & (change <= CONVERGED), found, np.nan)


def _determined(levels: _Levels, sloped: bool) -> np.ndarray:
    """(resamples,) whether both classes are there and, for a slope, more than one p."""
    positives = levels.positives.sum(axis=0)
    both = (positives > 0) & (positives < levels.cases.sum(axis=0))
    return both & ((levels.cases > 0).sum(axis=0) > 1) if sloped else both


def _newton(levels: _Levels, at: np.ndarray, sloped: bool) -> np.ndarray:
    """(2, resamples) the next step of the likelihood's ascent."""
    p = expit(at[0] + at[1] * levels.odds)
    missing = levels.positives - levels.cases * p
    bend = levels.cases * p * (1 - p)
    gradient, curve = missing.sum(axis=0), np.maximum(bend.sum(axis=0), 1e-300)
    if not sloped:
        return np.stack([gradient / curve, np.zeros_like(gradient)])
    cross, square = (bend * levels.odds).sum(axis=0), (bend * levels.odds**2).sum(axis=0)
    tilt = (missing * levels.odds).sum(axis=0)
    determinant = np.maximum(curve * square - cross**2, 1e-300)
    return np.stack([square * gradient - cross * tilt, curve * tilt - cross * gradient]) / determinant


def smooth_ece(cases: Resampled) -> np.ndarray:
    """Smooth calibration error: the mean |residual| after smoothing label - p over p, between 0 and 1.

    The kernel is a Gaussian reflected at 0 and 1, its width the one that equals the error it gives (Błasiok and
    Nakkiran 2023, arXiv 2309.12236). It needs no bins and no choice. Undefined without cases.
    """
    cell = np.minimum((cases.group.p * CELLS).astype(int), CELLS - 1)
    residual = cases.group.label - cases.group.p
    with np.errstate(invalid="ignore", divide="ignore"):
        mass = (cases.per_level(cell, CELLS, residual) @ cases.weights.T) / cases.cases
    return _fixed_point(dct(mass, axis=0, norm="ortho"))


def _fixed_point(waves: np.ndarray) -> np.ndarray:
    """(resamples,) the error at the width that equals it; waves: cosine transform (cells, resamples) of residuals."""
    low, high = np.zeros(waves.shape[1]), np.ones(waves.shape[1])
    for _ in range(HALVINGS):
        width = (low + high) / 2
        narrow = width < _smoothed(waves, width)
        low, high = np.where(narrow, width, low), np.where(narrow, high, width)
    return _smoothed(waves, (low + high) / 2)


def _smoothed(waves: np.ndarray, width: np.ndarray) -> np.ndarray:
    """(resamples,) sum of |residual| after a reflected Gaussian of this width: each cosine wave fades by itself."""
    wave = np.pi * np.arange(waves.shape[0])[:, None]
    return np.abs(idct(waves * np.exp(-0.5 * (wave * width) ** 2), axis=0, norm="ortho")).sum(axis=0)
