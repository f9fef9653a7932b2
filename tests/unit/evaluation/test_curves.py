"""Calibration and decision curves: bins, recalibration, and net benefit by hand."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scored_cases import benchmark, half_b, of_split, predictions, study

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.calibration import UNCHANGED, log_odds
from tirec.evaluation.curves import bins, calibration_table, decision_table, fit
from tirec.evaluation.model_metrics import metrics_table
from tirec.records.small_counts import SMALL

RULES = EvaluationConfig(draws=30, decision_curve_to=0.3)
INSTANCES = study(visits=900)
BENCHMARK = benchmark(INSTANCES)
VALIDATION, TEST = (predictions(of_split(INSTANCES, split), unanswered=0.1) for split in ("validation", "test"))
FLAGGED = BENCHMARK.flagged(TEST, metrics_table(BENCHMARK, VALIDATION, TEST, None, RULES))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=200), st.integers(1, 60))
def test_bins_rise_keep_ties_together_and_hold_eleven_patients(levels: list[int], patients: int) -> None:
    p, patient = np.array(levels) / 20, np.arange(len(levels)) % patients
    place = bins(p, patient)
    assert place.max() < 11 and set(place) == set(range(place.max() + 1))
    order = np.argsort(p, kind="stable")
    assert (np.diff(place[order]) >= 0).all()
    assert all(len(set(place[p == level])) == 1 for level in set(p))
    if place.max():
        assert min(np.unique(patient[place == number]).size for number in set(place)) >= SMALL


def test_the_calibration_table_counts_every_case_once_and_shows_the_observed_share() -> None:
    table = calibration_table(FLAGGED, BENCHMARK.half_b(VALIDATION), BENCHMARK.resample(RULES), RULES)
    for (task, _), part in table.group_by("task", "p_kind"):
        cases = FLAGGED.filter(pl.col("task") == task)
        assert part["n"].sum() == cases.height
        assert (part["n"] * part["observed"]).sum() == pytest.approx(cases["label"].sum(), abs=1e-3)
        assert (part["ci_low"] <= part["observed"]).all() and (part["observed"] <= part["ci_high"]).all()
    assert table["p_kind"].unique(maintain_order=True).to_list() == ["answered", "recalibrated"]


def cases_of(p: np.ndarray, label: np.ndarray) -> pl.DataFrame:
    frame = (
        half_b(INSTANCES)
        .head(1)
        .select("task", "setting")
        .join(pl.DataFrame({"p": p, "label": label.astype(int)}), how="cross")
    )
    ids = pl.Series(range(p.size))
    return frame.with_columns(csn=ids, mrn=ids, answered=pl.lit(True))


def test_recalibration_undoes_a_known_distortion() -> None:
    rng = np.random.default_rng(0)
    risk = rng.beta(1, 4, 40_000)
    told = expit(0.6 * log_odds(risk) - 0.5)
    line = fit(cases_of(told, rng.random(risk.size) < risk))
    assert line.apply(told) == pytest.approx(risk, abs=0.02)


def test_a_constant_p_is_moved_to_the_rate_and_one_class_moves_nothing() -> None:
    label = np.arange(100) < 20
    assert fit(cases_of(np.full(100, 0.5), label)).apply(np.array([0.5])) == pytest.approx([0.2], abs=1e-6)
    assert fit(cases_of(np.linspace(0.1, 0.9, 100), np.zeros(100, dtype=bool))) == UNCHANGED
    assert fit(cases_of(np.array([]), np.array([], dtype=bool))) == UNCHANGED


def test_net_benefit_by_hand_and_of_acting_on_everyone() -> None:
    table = decision_table(FLAGGED, BENCHMARK.resample(RULES), RULES)
    row = table.filter((pl.col("task") == "disposition") & (pl.col("threshold") == 0.2)).row(0, named=True)
    cases = FLAGGED.filter(pl.col("task") == "disposition")
    acted = cases.filter(pl.col("p") >= 0.2)
    by_hand = (acted["label"].sum() - (acted.height - acted["label"].sum()) * 0.2 / 0.8) / cases.height
    everyone = cases["label"].mean() - (1 - cases["label"].mean()) * 0.25
    assert row["net_benefit"] == pytest.approx(by_hand, abs=1e-6)
    assert row["flag_everyone"] == pytest.approx(everyone, abs=1e-6)
    assert table["threshold"].max() == 0.3 and table.height == 3 * 30
