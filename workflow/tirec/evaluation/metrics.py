"""Every metric, once: a function from a group of cases under resamples to one value per resample.

NaN = undefined. A ranking needs both classes; precision, recall and F1 need a positive, specificity a negative.
Where positives exist and nothing is flagged, precision and F1 are 0.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tirec.errors import TirecError
from tirec.evaluation.calibration import calibration_intercept, calibration_slope, smooth_ece
from tirec.evaluation.weighted import EPISODE_COLUMNS, Confusion, Group, Resampled

Metric = Callable[[Resampled], np.ndarray]
LOG_LOSS_CLIP = 1e-6
"""Probabilities are kept this far from 0 and 1 in the log loss, since a stated 0 may be wrong."""
_NET_BENEFIT = "net_benefit_at_"


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


def _noted(name: str) -> Metric:
    """The mean over cases of something known of their episodes."""
    return lambda cases: _mean(cases, cases.group.episodes[name])


def _statements(part: str, verifiable: bool) -> Metric:
    """The share of the stated numbers, or of the verifiable among them, that are `part`; undefined without any."""

    def share(cases: Resampled) -> np.ndarray:
        noted = cases.group.episodes
        whole = noted["statements"] - noted["unverifiable"] if verifiable else noted["statements"]
        total = cases.total(whole)
        return _ratio(cases.total(noted[part]), total, total > 0)

    return share


def _slips(cases: Resampled) -> np.ndarray:
    """The share of cases with a wrong number in the model's own text."""
    wrong = cases.group.episodes["wrong"]
    return _mean(cases, np.where(np.isnan(wrong), np.nan, wrong > 0))


def _alerts(cases: Resampled) -> np.ndarray:
    counts = cases.at_threshold
    return 100 * _ratio(counts.tp + counts.fp, cases.visits, cases.visits > 0)


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
    "calibration_slope": calibration_slope,
    "calibration_intercept": calibration_intercept,
    "calibration_in_the_large": lambda cases: _mean(cases, cases.group.p - cases.group.label),
    "smooth_ece": smooth_ece,
    "false_negative_rate": lambda cases: 1 - _recall(cases.at_threshold),
    "alerts_per_100_visits": _alerts,
    "unanswered": lambda cases: _mean(cases, ~cases.group.answered),
    "calls": _noted("calls"),
    "match_f1": _noted("match"),
    "numbers_stated": _noted("statements"),
    "cases_with_slip": _slips,
    "numbers_wrong": _statements("wrong", verifiable=True),
    "numbers_unverifiable": _statements("unverifiable", verifiable=False),
}


class MetricError(TirecError):
    """A metric that does not exist."""


def metric(name: str) -> Metric:
    """The metric of this name; `net_benefit_at_0.1` and its like exist for every threshold between 0 and 1."""
    if name in METRICS:
        return METRICS[name]
    if not name.startswith(_NET_BENEFIT):
        raise MetricError(f"{name}: no such metric")
    return net_benefit(float(name.removeprefix(_NET_BENEFIT)))


def net_benefit(threshold: float) -> Metric:
    """True positives minus false positives, these at the odds of the threshold, per case, for p >= threshold."""

    def measure(cases: Resampled) -> np.ndarray:
        counts = cases.at(threshold)
        gained = counts.tp - counts.fp * threshold / (1 - threshold)
        return _ratio(gained, cases.cases, cases.cases > 0)

    return measure


def metric_names(net_benefit_at: Sequence[float]) -> tuple[str, ...]:
    """Every metric of a metrics table, in its order."""
    return (*METRICS, *(f"{_NET_BENEFIT}{threshold:g}" for threshold in net_benefit_at))


def plain(label: np.ndarray, p: np.ndarray, threshold: float = 0.5) -> Resampled:
    """Cases as they are: each its own patient, drawn once."""
    label, p = np.asarray(label, dtype=bool), np.asarray(p, dtype=float)
    every = np.ones(label.size, dtype=bool)
    unknown = dict.fromkeys(EPISODE_COLUMNS, np.full(label.size, np.nan))
    group = Group(label, p, p >= threshold, np.arange(label.size), every, every, unknown)
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
