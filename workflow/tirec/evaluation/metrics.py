"""Every metric, once: a function from a group of cases under resamples to one value per resample.

NaN = undefined. A ranking needs both classes; precision, recall and F1 need a positive, specificity a negative.
Where positives exist and nothing is flagged, precision and F1 are 0.
"""

from collections.abc import Callable

import numpy as np

from tirec.evaluation.weighted import Confusion, Group, Resampled

Metric = Callable[[Resampled], np.ndarray]
LOG_LOSS_CLIP = 1e-6
"""Probabilities are kept this far from 0 and 1 in the log loss, since a stated 0 may be wrong."""


def _ratio(part: np.ndarray, whole: np.ndarray, defined: np.ndarray | bool = True) -> np.ndarray:
    """part / whole; 0 where the whole is 0, NaN where the metric is not defined."""
    value = np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0)
    return np.where(defined, value, np.nan)


def _both_classes(cases: Resampled) -> np.ndarray:
    return (cases.positives > 0) & (cases.negatives > 0)


def _auroc(cases: Resampled) -> np.ndarray:
    return _ratio(cases.curve.concordant, cases.positives * cases.negatives, _both_classes(cases))


def _average_precision(cases: Resampled) -> np.ndarray:
    return _ratio(cases.curve.precision_sum, cases.positives, _both_classes(cases))


def _f1(counts: Confusion) -> np.ndarray:
    return _ratio(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn, counts.tp + counts.fn > 0)


def _precision(counts: Confusion) -> np.ndarray:
    return _ratio(counts.tp, counts.tp + counts.fp, counts.tp + counts.fn > 0)


def _recall(counts: Confusion) -> np.ndarray:
    return _ratio(counts.tp, counts.tp + counts.fn, counts.tp + counts.fn > 0)


def _specificity(counts: Confusion) -> np.ndarray:
    return _ratio(counts.tn, counts.tn + counts.fp, counts.tn + counts.fp > 0)


def _flagged(counts: Confusion) -> np.ndarray:
    cases = counts.tp + counts.fp + counts.fn + counts.tn
    return _ratio(counts.tp + counts.fp, cases, cases > 0)


def _mean(cases: Resampled, values: np.ndarray) -> np.ndarray:
    return _ratio(cases.total(values), cases.cases, cases.cases > 0)


def _brier(cases: Resampled) -> np.ndarray:
    return _mean(cases, (cases.group.p - cases.group.label) ** 2)


def _log_loss(cases: Resampled) -> np.ndarray:
    p = np.clip(cases.group.p, LOG_LOSS_CLIP, 1 - LOG_LOSS_CLIP)
    return _mean(cases, -np.log(np.where(cases.group.label, p, 1 - p)))


METRICS: dict[str, Metric] = {
    "auroc": _auroc,
    "auprc": _average_precision,
    "prevalence": lambda cases: _mean(cases, cases.group.label),
    "f1": lambda cases: _f1(cases.at_threshold),
    "precision": lambda cases: _precision(cases.at_threshold),
    "recall": lambda cases: _recall(cases.at_threshold),
    "specificity": lambda cases: _specificity(cases.at_threshold),
    "flagged": lambda cases: _flagged(cases.at_threshold),
    "f1_at_half": lambda cases: _f1(cases.at_half),
    "precision_at_half": lambda cases: _precision(cases.at_half),
    "recall_at_half": lambda cases: _recall(cases.at_half),
    "specificity_at_half": lambda cases: _specificity(cases.at_half),
    "flagged_at_half": lambda cases: _flagged(cases.at_half),
    "brier": _brier,
    "log_loss": _log_loss,
    "unanswered": lambda cases: _mean(cases, ~cases.group.answered),
    "calls": lambda cases: _mean(cases, cases.group.calls),
    "match_f1": lambda cases: _mean(cases, cases.group.match),
}


def plain(label: np.ndarray, p: np.ndarray, threshold: float = 0.5) -> Resampled:
    """Cases as they are: each its own patient, drawn once."""
    label, p = np.asarray(label, dtype=bool), np.asarray(p, dtype=float)
    blank = np.full(label.size, np.nan)
    every = np.ones(label.size, dtype=bool)
    group = Group(label, p, p >= threshold, np.arange(label.size), every, calls=blank, match=blank)
    return Resampled(group, np.ones((1, label.size)))


def auroc(label: np.ndarray, p: np.ndarray) -> float:
    """Area under the ROC curve, ties half; NaN with one class."""
    return float(_auroc(plain(label, p))[0])


def average_precision(label: np.ndarray, p: np.ndarray) -> float:
    """Average precision (the step-wise sum, no trapezoids); NaN with one class."""
    return float(_average_precision(plain(label, p))[0])


def f1_at(label: np.ndarray, p: np.ndarray, threshold: float) -> float:
    """F1 of the positive class for p >= threshold; NaN without positives."""
    return float(_f1(plain(label, p, threshold).at_threshold)[0])


def best_f1(label: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """The observed p with the highest F1 for p >= threshold, and that F1; ties go to the higher threshold."""
    label, p = np.asarray(label, dtype=bool), np.asarray(p, dtype=float)
    if not label.any():
        return float("nan"), float("nan")
    levels, level = np.unique(-p, return_inverse=True)
    found = np.cumsum(np.bincount(level, weights=label, minlength=levels.size))
    flagged = np.cumsum(np.bincount(level, minlength=levels.size))
    f1 = 2 * found / (flagged + label.sum())
    best = int(np.argmax(f1))
    return float(-levels[best]), float(f1[best])
