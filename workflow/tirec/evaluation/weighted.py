"""A group of cases under many patient resamples at once: the arithmetic below every metric and interval."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

EPISODE_COLUMNS = ("calls", "match", "statements", "wrong", "unverifiable")
"""Calls made; F1 of the called functions against the reference set; numbers stated in the model's own text, those with
a wrong value or direction, and those that could not be verified."""
BLOCK = 128
"""Resamples handled together in the ranking metrics, so that their running sums stay in the cache."""


@dataclass(frozen=True)
class Group:
    """Cases that are scored together, one entry per case in every array."""

    label: np.ndarray
    """bool, the outcome happened."""
    p: np.ndarray
    """float, no gaps."""
    flagged: np.ndarray
    """bool, p is at or above the threshold of the case's setting."""
    patient: np.ndarray
    """int, column of the resamples."""
    answered: np.ndarray
    """bool, the model gave the p itself."""
    new_visit: np.ndarray
    """bool, the first case of its visit in the group: a visit may stand there with several settings."""
    episodes: Mapping[str, np.ndarray]
    """What the episodes were like (EPISODE_COLUMNS), float, NaN = not known of this model."""


@dataclass(frozen=True)
class Confusion:
    """Weighted counts at one threshold, each (resamples,)."""

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray


@dataclass(frozen=True)
class Curve:
    """What the ranking metrics need, each (resamples,)."""

    concordant: np.ndarray
    """Weighted pairs of a positive above a negative, ties half."""
    precision_sum: np.ndarray
    """Weighted sum over the positives of the precision at their p."""


class Resampled:
    """A group under weights (resamples, patients): how often each resample drew each patient."""

    def __init__(self, group: Group, weights: np.ndarray) -> None:
        self.group = group
        self.weights = weights

    def total(self, values: np.ndarray) -> np.ndarray:
        """(resamples,) weighted sum of one value per case."""
        per_patient = np.bincount(self.group.patient, weights=values, minlength=self.weights.shape[1])
        return self.weights @ per_patient

    @cached_property
    def cases(self) -> np.ndarray:
        """(resamples,) weighted number of cases."""
        return self.total(np.ones(self.group.label.size))

    @cached_property
    def positives(self) -> np.ndarray:
        """(resamples,) weighted number of positives."""
        return self.total(self.group.label)

    @cached_property
    def negatives(self) -> np.ndarray:
        """(resamples,) weighted number of negatives."""
        return self.cases - self.positives

    @cached_property
    def visits(self) -> np.ndarray:
        """(resamples,) weighted number of visits."""
        return self.total(self.group.new_visit)

    def at(self, threshold: float) -> Confusion:
        """Counts at p >= threshold."""
        return self._confusion(self.group.p >= threshold)

    @cached_property
    def at_threshold(self) -> Confusion:
        """Counts at the threshold chosen on validation half B."""
        return self._confusion(self.group.flagged)

    @cached_property
    def at_half(self) -> Confusion:
        """Counts at p >= 0.5."""
        return self.at(0.5)

    def _confusion(self, flagged: np.ndarray) -> Confusion:
        tp = self.total(flagged & self.group.label)
        fp = self.total(flagged & ~self.group.label)
        return Confusion(tp=tp, fp=fp, fn=self.positives - tp, tn=self.negatives - fp)

    @cached_property
    def curve(self) -> Curve:
        """Ranking sums, by sorting the cases once for all resamples."""
        levels, level = np.unique(-self.group.p, return_inverse=True)  # falling p; equal p share a level
        positive = self.per_level(level, levels.size, self.group.label)
        negative = self.per_level(level, levels.size, ~self.group.label)
        blocks = np.array_split(self.weights, max(1, -(-len(self.weights) // BLOCK)))
        parts = [_ranking_sums(positive @ block.T, negative @ block.T) for block in blocks]
        concordant, precision_sum = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Curve(concordant, precision_sum)

    def per_level(self, level: np.ndarray, levels: int, values: np.ndarray) -> sparse.csr_array:
        """(levels, patients) sum of one value per case; times `weights.T` it is (levels, resamples)."""
        where = (level, self.group.patient)
        return sparse.csr_array((values.astype(float), where), shape=(levels, self.weights.shape[1]))


def _ranking_sums(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Concordant pairs and precision sums from counts (levels of falling p, resamples)."""
    found, false = np.cumsum(positive, axis=0), np.cumsum(negative, axis=0)
    below = negative.sum(axis=0) - false + negative / 2
    flagged = found + false
    precision = np.divide(found, flagged, out=np.zeros_like(flagged), where=flagged > 0)
    return np.einsum("gd,gd->d", positive, below), np.einsum("gd,gd->d", positive, precision)
