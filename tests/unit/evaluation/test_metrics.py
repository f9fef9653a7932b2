"""Every metric against scikit-learn, weighted by how often each patient was drawn."""

import numpy as np
import pytest
from sklearn import metrics as sk

from tirec.evaluation.intervals import resample
from tirec.evaluation.metrics import LOG_LOSS_CLIP, METRICS, auroc, average_precision, best_f1, f1_at
from tirec.evaluation.weighted import Group, Resampled

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
    }
    return plain[name]()


def group(label: np.ndarray, p: np.ndarray, patient: np.ndarray) -> Group:
    ones = np.ones(label.size)
    return Group(label, p, p >= THRESHOLD, patient, ones.astype(bool), calls=3 * ones, match=0.5 * ones)


def random_group(seed: int, digits: int) -> Group:
    rng = np.random.default_rng(seed)
    patient = rng.integers(0, 40, 120)
    label = rng.random(120) < 0.3
    return group(label, np.round(rng.beta(1, 2, 120) * 0.7 + 0.3 * label, digits), patient)


@pytest.mark.parametrize("digits", [1, 2, 12])  # 1: nearly everything is tied; 12: nothing is
@pytest.mark.parametrize("name", [name for name in METRICS if name not in ("unanswered", "calls", "match_f1")])
def test_equals_scikit_learn_with_patient_counts_as_weights(name: str, digits: int) -> None:
    cases = random_group(3, digits)
    weights = resample(np.arange(40), draws=8, seed=1).weights
    ours = METRICS[name](Resampled(cases, weights))
    theirs = [oracle(name, cases.label, cases.p, weight[cases.patient]) for weight in weights]
    assert ours == pytest.approx(theirs, abs=1e-12)


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
}


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("name", ONE_CLASS)
def test_one_class_is_undefined_and_never_zero(name: str, positive: bool) -> None:
    label = np.full(6, positive)
    value = METRICS[name](Resampled(group(label, np.linspace(0, 1, 6), np.arange(6)), np.ones((1, 6))))
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
    silent = Group(cases.label, cases.p, cases.flagged, cases.patient, cases.answered, calls=blank, match=blank)
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
