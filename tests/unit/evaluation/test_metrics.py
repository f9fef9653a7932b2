"""Every metric against scikit-learn or another independent program, weighted by how often each patient was drawn."""

from dataclasses import replace

import numpy as np
import pytest
import relplot
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit
from scipy.stats import norm
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression

from tirec.evaluation.calibration import log_odds
from tirec.evaluation.intervals import resample
from tirec.evaluation.metrics import (
    LOG_LOSS_CLIP,
    METRICS,
    MetricError,
    auroc,
    average_precision,
    best_f1,
    f1_at,
    metric,
    metric_names,
)
from tirec.evaluation.weighted import EPISODE_COLUMNS, Group, Resampled

THRESHOLD = 0.37


def specificity(label, flagged, weight):
    return sk.recall_score(~label, ~flagged, sample_weight=weight, zero_division=0)


def log_loss(label, p, weight):
    return sk.log_loss(label, np.clip(p, LOG_LOSS_CLIP, 1 - LOG_LOSS_CLIP), sample_weight=weight, labels=[False, True])


RANKED = {"auroc": sk.roc_auc_score, "auprc": sk.average_precision_score, "brier": sk.brier_score_loss}
DECIDED = {"f1": sk.f1_score, "precision": sk.precision_score, "recall": sk.recall_score}


def oracle(name: str, label: np.ndarray, p: np.ndarray, weight: np.ndarray) -> float:
    """scikit-learn's value of a metric with these weights."""
    if name in RANKED:
        return RANKED[name](label, p, sample_weight=weight)
    flagged = p >= (0.5 if name.endswith("_at_half") else THRESHOLD)
    name = name.removesuffix("_at_half")
    if name in DECIDED:
        return DECIDED[name](label, flagged, sample_weight=weight, zero_division=0)
    plain = {
        "specificity": lambda: specificity(label, flagged, weight),
        "log_loss": lambda: log_loss(label, p, weight),
        "flagged": lambda: np.average(flagged, weights=weight),
        "prevalence": lambda: np.average(label, weights=weight),
        "false_negative_rate": lambda: 1 - sk.recall_score(label, flagged, sample_weight=weight),
        "alerts_per_100_visits": lambda: 100 * np.average(flagged, weights=weight),
        "calibration_in_the_large": lambda: np.average(p, weights=weight) - np.average(label, weights=weight),
        "calibration_slope": lambda: slope(label, p, weight),
        "calibration_intercept": lambda: intercept(label, p, weight),
        "net_benefit_at_0.2": lambda: net_benefit(label, p, weight, 0.2),
    }
    return plain[name]()


def slope(label: np.ndarray, p: np.ndarray, weight: np.ndarray) -> float:
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000)
    return model.fit(log_odds(p)[:, None], label, sample_weight=weight).coef_[0, 0]


def intercept(label: np.ndarray, p: np.ndarray, weight: np.ndarray) -> float:
    """The shift of the log odds with the lowest log loss."""
    loss = lambda shift: sk.log_loss(label, expit(shift + log_odds(p)), sample_weight=weight)  # noqa: E731
    return minimize_scalar(loss, bracket=(-1, 1), tol=1e-10).x


def net_benefit(label: np.ndarray, p: np.ndarray, weight: np.ndarray, threshold: float) -> float:
    """Vickers and Elkin 2006, from scikit-learn's confusion matrix."""
    matrix = sk.confusion_matrix(label, p >= threshold, sample_weight=weight, normalize="all")
    return matrix[1, 1] - matrix[0, 1] * threshold / (1 - threshold)


def group(label: np.ndarray, p: np.ndarray, patient: np.ndarray) -> Group:
    ones = np.ones(label.size)
    episodes = dict(zip(EPISODE_COLUMNS, (3 * ones, 0.5 * ones, 2 * ones, 0 * ones, ones), strict=True))
    return Group(label, p, p >= THRESHOLD, patient, ones.astype(bool), ones.astype(bool), episodes)


def random_group(seed: int, digits: int) -> Group:
    rng = np.random.default_rng(seed)
    patient = rng.integers(0, 40, 120)
    label = rng.random(120) < 0.3
    return group(label, np.round(rng.beta(1, 2, 120) * 0.7 + 0.3 * label, digits), patient)


OF_EPISODES = ("calls", "match_f1", "numbers_stated", "cases_with_slip", "numbers_wrong", "numbers_unverifiable")
SCORED = [name for name in metric_names((0.2,)) if name not in ("unanswered", "smooth_ece", *OF_EPISODES)]
SOLVED = ("calibration_slope", "calibration_intercept")


@pytest.mark.parametrize("digits", [1, 2, 12])  # 1: nearly everything is tied; 12: nothing is
@pytest.mark.parametrize("name", SCORED)
def test_equals_scikit_learn_with_patient_counts_as_weights(name: str, digits: int) -> None:
    cases = random_group(3, digits)
    weights = resample(np.arange(40), draws=8, seed=1).weights
    ours = metric(name)(Resampled(cases, weights))
    theirs = [oracle(name, cases.label, cases.p, weight[cases.patient]) for weight in weights]
    assert ours[0] == pytest.approx(theirs[0], abs=2e-5 if name in SOLVED else 1e-12)
    assert ours == pytest.approx(theirs, abs=2e-3 if name in SOLVED else 1e-12)


def smooth_ece_by_quadrature(label: np.ndarray, p: np.ndarray) -> float:
    """The definition, term by term: images of each case beyond 0 and 1, the width found by a root finder."""
    grid = (np.arange(2000) + 0.5) / 2000
    images = np.concatenate([sign * p[:, None] + 2 * np.arange(-3, 4) for sign in (1, -1)], axis=1)

    def error(width: float) -> float:
        kernel = np.zeros((p.size, grid.size))
        for image in images.T:
            kernel += norm.pdf(grid, image[:, None], width)
        return float(np.abs((label - p) @ kernel / p.size).mean())

    return error(brentq(lambda width: error(width) - width, 0.01, 1))


@pytest.mark.parametrize("digits", [1, 12])
def test_smooth_ece_is_the_definition_and_that_of_its_authors(digits: int) -> None:
    cases = random_group(3, digits)
    weights = resample(np.arange(40), draws=4, seed=1).weights
    for ours, weight in zip(METRICS["smooth_ece"](Resampled(cases, weights)), weights, strict=True):
        rows = np.repeat(np.arange(cases.p.size), weight[cases.patient].astype(int))
        label, p = cases.label[rows].astype(float), cases.p[rows]
        assert ours == pytest.approx(smooth_ece_by_quadrature(label, p), abs=5e-4)
        assert ours == pytest.approx(
            relplot.smECE(p, label), abs=5e-3
        )  # which has 1024 widths and divides by a density


def test_smooth_ece_of_honest_probabilities_is_small_and_of_inverted_ones_is_not() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    label, every = rng.random(20_000) < p, np.ones((1, 1))
    one = np.zeros(p.size, dtype=int)
    assert METRICS["smooth_ece"](Resampled(group(label, p, one), every))[0] < 0.02
    assert METRICS["smooth_ece"](Resampled(group(~label, p, one), every))[0] > 0.25


def test_log_odds_bent_by_known_numbers_are_found_again() -> None:
    rng = np.random.default_rng(1)
    p = rng.beta(1, 3, 60_000)
    bent = Resampled(
        group(rng.random(p.size) < expit(0.7 * log_odds(p)), p, np.zeros(p.size, dtype=int)), np.ones((1, 1))
    )
    shifted = Resampled(group(rng.random(p.size) < expit(0.4 + log_odds(p)), p, bent.group.patient), np.ones((1, 1)))
    assert METRICS["calibration_slope"](bent)[0] == pytest.approx(0.7, abs=0.03)
    assert METRICS["calibration_intercept"](shifted)[0] == pytest.approx(0.4, abs=0.03)


def test_a_slope_needs_two_values_of_p_and_classes_that_overlap() -> None:
    label = np.array([False, False, True, True])
    for p in (np.full(4, 0.3), np.array([0.1, 0.2, 0.8, 0.9])):
        assert np.isnan(METRICS["calibration_slope"](Resampled(group(label, p, np.arange(4)), np.ones((1, 4))))[0])
    assert METRICS["calibration_intercept"](Resampled(group(label, np.full(4, 0.5), np.arange(4)), np.ones((1, 4))))[
        0
    ] == pytest.approx(0)


def test_alerts_count_a_visit_with_several_settings_once_below_the_line() -> None:
    """Three settings of one visit all flagged, one of another not: three alerts in two visits."""
    cases = group(np.array([True, True, False, False]), np.array([0.9, 0.8, 0.7, 0.1]), np.zeros(4, dtype=int))
    cases = replace(cases, new_visit=np.array([True, False, False, True]))
    assert METRICS["alerts_per_100_visits"](Resampled(cases, np.ones((1, 1))))[0] == 150


def test_slips_are_counted_by_case_and_by_stated_number() -> None:
    episodes = {"statements": [4.0, 0, 2, 3], "wrong": [2.0, 0, 0, 1], "unverifiable": [1.0, 0, 0, 2]}
    every = {name: np.array(episodes.get(name, [0.0] * 4)) for name in EPISODE_COLUMNS}
    cases = Resampled(replace(group(np.zeros(4, bool), np.zeros(4), np.arange(4)), episodes=every), np.ones((1, 4)))
    found = [METRICS[name](cases)[0] for name in ("numbers_stated", "cases_with_slip", "numbers_wrong")]
    assert found == [9 / 4, 2 / 4, 3 / 6]
    assert METRICS["numbers_unverifiable"](cases)[0] == 3 / 9


def test_an_unknown_metric_is_named() -> None:
    with pytest.raises(MetricError, match="accuracy: no such metric"):
        metric("accuracy")


def test_equals_scoring_the_drawn_rows_one_by_one() -> None:
    """The weighted form is the bootstrap: rows of a patient drawn three times stand there three times."""
    cases = random_group(5, 2)
    weights = resample(np.arange(40), draws=10, seed=2).weights
    for name, score in (("auroc", sk.roc_auc_score), ("auprc", sk.average_precision_score)):
        ours = METRICS[name](Resampled(cases, weights))
        for value, weight in zip(ours, weights, strict=True):
            rows = np.repeat(np.arange(cases.label.size), weight[cases.patient].astype(int))
            assert value == pytest.approx(score(cases.label[rows], cases.p[rows]))


def test_many_resamples_do_not_depend_on_their_blocks() -> None:
    cases = random_group(7, 2)
    weights = resample(np.arange(40), draws=300, seed=3).weights
    together = METRICS["auroc"](Resampled(cases, weights))
    alone = [METRICS["auroc"](Resampled(cases, weights[row : row + 1]))[0] for row in range(len(weights))]
    assert together == pytest.approx(alone)


ONE_CLASS = {  # (all negative, all positive): which metrics are undefined
    "auroc": (True, True),
    "auprc": (True, True),
    "f1": (True, False),
    "precision": (True, False),
    "recall": (True, False),
    "specificity": (False, True),
    "flagged": (False, False),
    "brier": (False, False),
    "log_loss": (False, False),
    "prevalence": (False, False),
    "calibration_slope": (True, True),
    "calibration_intercept": (True, True),
    "calibration_in_the_large": (False, False),
    "smooth_ece": (False, False),
    "false_negative_rate": (True, False),
    "net_benefit_at_0.2": (False, False),
}


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("name", ONE_CLASS)
def test_one_class_is_undefined_and_never_zero(name: str, positive: bool) -> None:
    label = np.full(6, positive)
    value = metric(name)(Resampled(group(label, np.linspace(0, 1, 6), np.arange(6)), np.ones((1, 6))))
    assert np.isnan(value[0]) == ONE_CLASS[name][positive]


def test_no_cases_are_undefined_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    empty = np.empty(0)
    cases = Resampled(group(empty.astype(bool), empty, empty.astype(int)), np.ones((2, 3)))
    assert all(np.isnan(metric(cases)).all() for metric in METRICS.values())
    assert not recwarn.list


def test_nothing_flagged_has_precision_and_f1_zero() -> None:
    cases = Resampled(group(np.array([True, False]), np.array([0.1, 0.2]), np.arange(2)), np.ones((1, 2)))
    assert METRICS["precision"](cases)[0] == METRICS["f1"](cases)[0] == 0


def test_constant_predictions_have_average_precision_equal_to_prevalence() -> None:
    label = np.array([True, False, False, False])
    assert average_precision(label, np.full(4, 0.3)) == 0.25
    assert auroc(label, np.full(4, 0.3)) == 0.5


def test_unknown_calls_stay_unknown() -> None:
    cases = random_group(1, 2)
    blank = np.full(120, np.nan)
    silent = replace(cases, episodes=dict.fromkeys(EPISODE_COLUMNS, blank))
    assert np.isnan(METRICS["calls"](Resampled(silent, np.ones((1, 40))))).all()
    assert METRICS["calls"](Resampled(cases, np.ones((1, 40))))[0] == 3


@pytest.mark.parametrize("seed", range(5))
def test_best_f1_is_the_best_of_all_thresholds(seed: int) -> None:
    cases = random_group(seed, 1)
    threshold, f1 = best_f1(cases.label, cases.p)
    every = {float(t): sk.f1_score(cases.label, cases.p >= t) for t in np.unique(cases.p)}
    assert f1 == pytest.approx(max(every.values()))
    assert threshold == max(t for t, value in every.items() if value == pytest.approx(f1))
    assert f1_at(cases.label, cases.p, threshold) == pytest.approx(f1)


def test_best_f1_without_a_positive_is_undefined() -> None:
    assert np.isnan(best_f1(np.zeros(3), np.array([0.1, 0.2, 0.3]))).all()
