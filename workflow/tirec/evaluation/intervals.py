"""Patient-clustered bootstrap in its weighted form: one resample for all tasks, settings and models."""

from dataclasses import dataclass

import numpy as np
import polars as pl

DIGITS = 6
"""Digits that a table shows."""


@dataclass(frozen=True)
class Resample:
    """How often each patient was drawn."""

    patients: np.ndarray
    """(patients,) MRN, ascending."""
    weights: np.ndarray
    """(1 + draws, patients); row 0 is the sample itself, every patient once."""

    def index(self, mrn: np.ndarray) -> np.ndarray:
        """The columns of these patients."""
        found = np.searchsorted(self.patients, mrn)
        if (found == self.patients.size).any() or (self.patients[found] != mrn).any():
            raise KeyError("a patient outside the resample")
        return found


@dataclass(frozen=True)
class Interval:
    """A value with its percentile interval; None = undefined."""

    value: float | None
    low: float | None
    high: float | None
    undefined_draws: int
    """Draws in which the value is undefined (one class drawn); the interval is over the others."""


def resample(mrn: np.ndarray, draws: int, seed: int) -> Resample:
    """Draws as many patients as there are, with replacement, `draws` times; all cases of a patient come along.

    Depends on the set of patients and the seed alone, so that models scored in different runs stay paired.
    """
    patients = np.unique(mrn)
    generator = np.random.default_rng(seed)
    weights = np.ones((draws + 1, patients.size))
    for row in weights[1:]:
        row[:] = np.bincount(generator.integers(0, patients.size, patients.size), minlength=patients.size)
    return Resample(patients, weights)


def interval(values: np.ndarray, confidence: float) -> Interval:
    """Row 0 as the value, the percentiles of the other rows as its interval."""
    drawn = values[1:]
    defined = drawn[~np.isnan(drawn)]
    undefined = int(drawn.size - defined.size)
    if np.isnan(values[0]) or not defined.size:
        return Interval(None if np.isnan(values[0]) else float(values[0]), None, None, undefined)
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(values[0]), float(low), float(high), undefined)


def bootstrap_p(differences: np.ndarray) -> float | None:
    """Two-sided p of no difference: twice the smaller share of draws on either side of 0, never below 2/(draws + 1)."""
    drawn = differences[1:]
    drawn = drawn[~np.isnan(drawn)]
    if np.isnan(differences[0]) or not drawn.size:
        return None
    rarer = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    return min(1.0, 2 * (1 + rarer) / (1 + drawn.size))


def holm(p: list[float | None]) -> list[float | None]:
    """Holm's step-down adjustment over the given p values; a missing one stays missing and does not count."""
    order = sorted((value, place) for place, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    running = 0.0
    for rank, (value, place) in enumerate(order):
        running = max(running, min(1.0, value * (len(order) - rank)))
        adjusted[place] = running
    return adjusted


def seed_draws(seeds: int, draws: int, seed: int) -> np.ndarray:
    """(1 + draws, seeds) weights that average over training seeds, drawn with replacement; row 0 is the plain mean."""
    generator = np.random.default_rng([seed, 1])
    chosen = generator.integers(0, seeds, (draws, seeds))
    weights = np.stack([(chosen == one).sum(axis=1) for one in range(seeds)], axis=1) / seeds
    return np.vstack([np.full((1, seeds), 1 / seeds), weights])


def columns(found: Interval, name: str) -> dict[str, float | None]:
    """`name`, `name_low`, `name_high` of a table row."""
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Floats as they are written: the last bits of a sum may differ between machines, the table may not."""
    return frame.with_columns(pl.selectors.float().round(DIGITS))
