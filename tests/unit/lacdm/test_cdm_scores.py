"""Metrics worked out by hand, and the table of paired differences."""

import numpy as np
import polars as pl
import pytest
from cdm_cases import menu_of

from tirec.config.evaluation import EvaluationConfig
from tirec.config.lacdm import SwitchesConfig
from tirec.errors import DataError
from tirec.lacdm.habits import ADHERENCE, FIRST_TESTS, RELIABILITY, first_tests, of_models
from tirec.lacdm.results import HYPOTHESES
from tirec.lacdm.scores import Weighted, diagnosis_scores, hypothesis_scores, reliability
from tirec.lacdm.table import Model, policy_table
from tirec.lacdm.verdict import judge_demo, summary

A, B, C, D = "appendicitis", "cholecystitis", "diverticulitis", "pancreatitis"


def predictions(rows):
    """(condition, predicted, cost, tests)"""
    listed = [
        {"case_id": i, "patient": i, "condition": a, "predicted": b, "cost": cost, "tests": t, "requested": [*t, "MRI"]}
        for i, (a, b, cost, t) in enumerate(rows)
    ]
    return pl.DataFrame(listed, schema_overrides={"predicted": pl.String, "cost": pl.Float64})


def stated(rows):
    """(case, condition, turn, hypothesis, confidence, last)"""
    listed = [(case, case, a, turn, turn, b, p, last) for case, a, turn, b, p, last in rows]
    return pl.DataFrame(listed, schema=HYPOTHESES, orient="row")


def plain(frame):
    return Weighted(frame, np.ones((1, frame.height)))


def values(found):
    return {name: float(value[0]) for name, value in found.items()}


ROWS = [(A, A, 300, ["CT"]), (A, None, 0, []), (B, B, 100, ["CT", "MRI"]), (C, A, 0, []), (D, D, 0, []), (D, D, 0, [])]


def test_both_conventions_of_a_missing_diagnosis():
    found = values(diagnosis_scores(plain(predictions(ROWS))))
    assert found["accuracy"] == pytest.approx(4 / 6)
    assert found["accuracy_answered"] == pytest.approx(4 / 5)
    assert found["mean_accuracy"] == pytest.approx((0.5 + 1 + 0 + 1) / 4)
    assert found["mean_accuracy_answered"] == pytest.approx((1 + 1 + 0 + 1) / 4)
    assert found["undiagnosed"] == pytest.approx(1 / 6)
    # micro: precision 4/5, recall 4/6; macro: A 2·1/(2+2), B 1, C 0, D 1
    assert found["micro_f1"] == pytest.approx(2 * 4 / (5 + 6))
    assert found["macro_f1"] == pytest.approx((0.5 + 1 + 0 + 1) / 4)
    assert found["cost"] == pytest.approx(400 / 6)
    assert found["tests"] == pytest.approx(3 / 6)
    assert found["unavailable"] == pytest.approx(1)


def test_policies_that_ask_and_state_nothing_have_tables_without_rows():
    idle = predictions([(A, None, 0, []), (B, B, 0, [])]).with_columns(requested=pl.lit([], pl.List(pl.String)))
    found = of_models({"idle": idle}, {"idle": stated([])}, menu_of(SwitchesConfig()))
    shapes = {"first_tests": FIRST_TESTS, "reliability": RELIABILITY, "adherence": ADHERENCE}
    assert {name: dict(table.schema) for name, table in found.items()} == shapes
    assert not any(table.height for table in found.values())


def test_an_absent_condition_has_no_accuracy():
    assert np.isnan(values(diagnosis_scores(plain(predictions([(A, A, 0, [])]))))["mean_accuracy"])


def test_calibration_has_a_bin_for_each_level_and_counts_turns_or_last_turns():
    rows = [
        (0, A, 0, A, 0.8, False),  # right
        (0, A, 1, B, 0.8, True),  # wrong
        (1, B, 0, B, 1.0, True),
        (2, C, 0, None, 0.5, False),  # unknown: wrong for accuracy, out of calibration
        (2, C, 1, C, None, True),  # no confidence: out of calibration
    ]
    found = values(hypothesis_scores(plain(stated(rows))))
    assert found["hypothesis_accuracy"] == pytest.approx(3 / 5)
    assert found["unknown"] == pytest.approx(1 / 5)
    # level 8: two turns, half right, gap .3; level 10: one turn, gap 0
    assert found["ece"] == pytest.approx(2 / 3 * 0.3)
    assert found["ece_last"] == pytest.approx((0.8 + 0.0) / 2)
    assert found["brier"] == pytest.approx((0.04 + 0.64 + 0) / 3)
    assert reliability(stated(rows)).rows() == [(0.8, 2, 0.5), (1.0, 1, 1.0)]


def test_the_first_test_by_what_was_suspected_before_any_result():
    rows = [(0, A, 0, A, 0.8, False), (0, A, 1, B, 0.8, True), (2, B, 0, A, 0.5, True), (1, B, 0, B, 0.5, True)]
    asked = predictions([(A, A, 0, ["CT"]), (B, B, 0, []), (B, B, 0, ["CT"])])
    asked = asked.with_columns(requested=pl.Series([["CT", "MRI"], [], ["CT"]]))
    found = first_tests(asked, stated(rows))
    assert found.rows() == [(A, "CT", 2, 1.0), (B, "none", 1, 1.0)]


RULES = EvaluationConfig(draws=50, comparisons=("zero_shot", "no_cost"))


def models():
    good, bad = predictions(ROWS), predictions([(a, D, 500, ["CT"]) for a, *_ in ROWS])
    sure = stated([(i, row[0], 0, row[0], 1.0, True) for i, row in enumerate(ROWS)])
    lost = stated([(i, row[0], 0, A, 1.0, True) for i, row in enumerate(ROWS)])
    return {"full.seed0": Model(good, sure), "zero_shot": Model(bad, lost), "no_cost.seed0": Model(bad, None)}


def test_differences_are_to_the_reference_and_what_does_not_apply_is_empty():
    table = policy_table(models(), RULES)
    rows = {row["policy"]: row for row in table.iter_rows(named=True)}
    assert rows["zero_shot"]["cost_diff"] == pytest.approx(500 - 400 / 6, abs=1e-5)
    assert rows["zero_shot"]["ece_diff"] == pytest.approx(4 / 6, abs=1e-5)
    assert rows["zero_shot"]["cost_p"] is None  # one training seed: no p
    assert rows["zero_shot"]["seeds"] is None
    assert rows["no_cost"]["ece"] is None
    assert rows["full"]["cases"] == f"{A}:2 {B}:1 {C}:1 {D}:2"
    assert [one.holds for one in judge_demo(table)] == [True, True, True]
    assert "zero_shot" in summary(table)


def test_a_verdict_can_fail():
    turned = {
        "full.seed0": models()["zero_shot"],
        "zero_shot": models()["full.seed0"],
        "no_cost.seed0": models()["full.seed0"],
    }
    assert [one.holds for one in judge_demo(policy_table(turned, RULES))] == [False, False, False]


def test_other_cases_are_no_comparison():
    found = models()
    found["zero_shot"] = Model(predictions(ROWS[:3]), None)
    with pytest.raises(DataError, match="not asked about the same cases"):
        policy_table(found, RULES)
