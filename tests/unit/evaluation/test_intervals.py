"""The patient bootstrap: who is drawn, what an interval says, and how p values are adjusted."""

import numpy as np
import pytest

from tirec.evaluation.intervals import bootstrap_p, holm, interval, resample, seed_draws


def test_row_0_is_the_sample_and_each_draw_has_as_many_patients() -> None:
    sample = resample(np.array([7, 7, 3, 9, 3]), draws=50, seed=0)
    assert sample.patients.tolist() == [3, 7, 9]
    assert sample.weights[0].tolist() == [1, 1, 1]
    assert (sample.weights.sum(axis=1) == 3).all()


def test_the_last_patient_is_drawn_as_often_as_any_other() -> None:
    drawn = resample(np.arange(200), draws=1000, seed=4).weights[1:]
    assert (drawn[:, -1] > 0).mean() == pytest.approx(1 - np.exp(-1), abs=0.05)
    assert drawn.mean(axis=0) == pytest.approx(np.ones(200), abs=0.15)


def test_draws_are_those_of_numpy_s_generator_one_after_another() -> None:
    generator = np.random.default_rng(11)
    weights = resample(np.arange(30), draws=4, seed=11).weights[1:]
    for row in weights:
        assert row.tolist() == np.bincount(generator.integers(0, 30, 30), minlength=30).tolist()


def test_the_order_and_number_of_cases_do_not_change_the_draws() -> None:
    one = resample(np.array([5, 1, 1, 8]), draws=20, seed=3)
    other = resample(np.array([8, 5, 1]), draws=20, seed=3)
    assert (one.weights == other.weights).all()


def test_a_patient_outside_the_resample_is_refused() -> None:
    sample = resample(np.array([1, 2, 4]), draws=1, seed=0)
    assert sample.index(np.array([4, 1])).tolist() == [2, 0]
    for stranger in (3, 9):
        with pytest.raises(KeyError):
            sample.index(np.array([stranger]))


def test_interval_is_the_percentiles_of_the_draws_alone() -> None:
    found = interval(np.array([100.0, *range(1000)]), 0.95)
    assert found.value == 100
    assert (found.low, found.high) == pytest.approx((24.975, 974.025))


def test_draws_with_one_class_are_counted_and_left_out() -> None:
    found = interval(np.array([0.5, np.nan, 0.4, np.nan, 0.6]), 0.95)
    assert found.undefined_draws == 2
    assert found.low is not None and 0.4 <= found.low < 0.5


def test_an_undefined_value_has_no_interval() -> None:
    found = interval(np.array([np.nan, 0.4, 0.6]), 0.95)
    assert (found.value, found.low, found.high) == (None, None, None)


def test_p_is_twice_the_rarer_side_and_never_zero() -> None:
    assert bootstrap_p(np.array([1.0, *np.ones(999)])) == pytest.approx(2 / 1000)
    assert bootstrap_p(np.array([1.0, *np.ones(90), *-np.ones(9)])) == pytest.approx(2 * 10 / 100)
    assert bootstrap_p(np.zeros(100)) == 1
    assert bootstrap_p(np.array([np.nan, 1.0])) is None


HOLM = [  # worked by hand: the k-th smallest of m times (m - k + 1), never falling
    ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
    ([0.01, None, 0.04], [0.02, None, 0.04]),
    ([0.6, 0.7], [1.0, 1.0]),
    ([0.02, 0.02], [0.04, 0.04]),
    ([None, None], [None, None]),
    ([], []),
]


@pytest.mark.parametrize(("p", "adjusted"), HOLM)
def test_holm(p: list[float | None], adjusted: list[float | None]) -> None:
    assert holm(p) == pytest.approx(adjusted)


def test_seed_draws_average_over_seeds() -> None:
    weights = seed_draws(3, draws=500, seed=0)
    assert weights[0] == pytest.approx([1 / 3] * 3)
    assert weights.sum(axis=1) == pytest.approx(np.ones(501))
    assert weights[1:].mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.05)
    assert seed_draws(1, draws=5, seed=0).tolist() == [[1]] * 6
