"""The studies' rules by hand: nested draws, benefit on four cases, rank correlation, masked columns, picked pairs."""

import numpy as np
import polars as pl
import pytest

from tirec.analysis.arms import RANDOM, STUDY_SCHEMA, Ground, by_policy, curves
from tirec.analysis.budget import budget_table
from tirec.analysis.call_map import TREE_COLUMNS, call_map, choose, contributed
from tirec.analysis.calls import calls_table
from tirec.analysis.cases import pick
from tirec.analysis.counterfactual import ORIGINAL, changes, counterfactual_table
from tirec.analysis.masked import edited_arms, masked, random_arm
from tirec.analysis.reading import draw_groups, reading_table
from tirec.analysis.usable_value import Value, benefits, correlation_table, rank_correlation, request_rates
from tirec.config.evaluation import EvaluationConfig
from tirec.config.studies import StudiesConfig
from tirec.errors import DataError
from tirec.evaluation.intervals import resample
from tirec.evidence.menu import MENU, REWARDABLE
from tirec.teacher.rows import Rows

RULES = EvaluationConfig(draws=20)


def ground(labels, mrn=None, task="revisit"):
    """Cases 0, 1, ... of one task with these labels, each of its own patient unless said otherwise."""
    n = len(labels)
    cases = pl.DataFrame(
        {
            "instance_id": range(n),
            "csn": range(n),
            "mrn": mrn or [100 + one for one in range(n)],
            "split": ["test"] * n,
            "half": [None] * n,
            "task": [task] * n,
            "setting": ["3d"] * n,
            "label": labels,
        },
        schema_overrides={"half": pl.String},
    )
    rates = pl.DataFrame({"task": [task], "setting": ["3d"], "prevalence": [0.25]})
    return Ground(cases, rates, resample(cases["mrn"].to_numpy(), RULES.draws, 0))


def arm(name, k, p, draw=0, groups=None):
    n = len(p)
    columns = {"instance_id": range(n), "arm": [name] * n, "k": [k] * n, "draw": [draw] * n}
    columns |= {"groups": groups or [[]] * n, "p": p, "finish": ["answered"] * n, "calls": [k] * n}
    return pl.DataFrame(columns, schema=STUDY_SCHEMA)


def test_draws_belong_to_the_patient_and_are_nested():
    cases = pl.DataFrame(
        {
            "instance_id": range(40),
            "mrn": [7, 7, *range(38)],
            "task": ["revisit"] * 20 + ["disposition"] * 20,
            "setting": ["3d"] * 40,
        }
    )
    few, many = (draw_groups(cases, StudiesConfig(cases=n, draws=2)) for n in (5, 20))
    assert few.join(many, on=few.columns, how="anti").is_empty(), "a larger sample keeps the smaller one's orders"
    assert few.group_by("task").len()["len"].to_list() == [10, 10]
    assert all(sorted(order) == sorted(REWARDABLE) for order in many["groups"])
    same = many.filter(pl.col("instance_id").is_in([0, 1])).sort("draw", "instance_id")["groups"].to_list()
    assert same[0] == same[1] and same[2] == same[3] and same[0] != same[2], "one patient, two visits, two draws"
    assert len({order[0] for order in many["groups"]}) > 5, "every group comes first somewhere"


def test_benefit_on_four_cases_is_the_fall_of_the_loss_beside_as_many_others():
    """At k = 1 labs is missing for cases 0, 1, 2; at k = 2 it is there for 0, 1 and 3."""
    losses = pl.DataFrame(
        {
            "mrn": [100, 101, 102, 103] * 2,
            "k": [1] * 4 + [2] * 4,
            "groups": [
                *(["orders"], ["orders"], ["history"], ["labs"]),
                *(["orders", "labs"], ["orders", "labs"], ["history", "orders"], ["labs", "orders"]),
            ],
            "loss": [0.5, 0.7, 0.6, 0.1, 0.2, 0.3, 0.6, 0.1],
        }
    )
    found = benefits(losses, ground([0, 0, 1, 1]))[0]
    named = dict(zip(REWARDABLE, found, strict=True))
    assert named["labs"] == pytest.approx((0.5 + 0.7 + 0.6) / 3 - (0.2 + 0.3 + 0.1) / 3)
    assert named["orders"] == pytest.approx((0.6 + 0.1) / 2 - (0.2 + 0.3 + 0.6 + 0.1) / 4)
    assert np.isnan(named["imaging"]), "a group that no subset holds has no benefit"


def test_a_group_that_always_helps_as_much_has_that_benefit_whatever_stands_beside_it():
    """Loss = 1 - 0.3 for labs - 0.1 for every other group: subsets differ in size, benefits do not."""
    draw = np.random.default_rng(0)
    rows = []
    for mrn in range(100, 160):
        order = list(draw.permutation(REWARDABLE))
        for k in range(1, 11):
            loss = 1 - sum(0.3 if name == "labs" else 0.1 for name in order[:k])
            rows.append((mrn, k, order[:k], loss))
    losses = pl.DataFrame(rows, schema=["mrn", "k", "groups", "loss"], orient="row")
    found = dict(zip(REWARDABLE, benefits(losses, ground([0] * 60))[0], strict=True))
    assert found["labs"] - found["orders"] == pytest.approx(0.2, abs=0.03)
    assert found["orders"] == pytest.approx(0.1, abs=0.03)


def test_request_rate_counts_cases_in_which_a_group_ran():
    asked = pl.DataFrame({"mrn": [100, 101, 102, 103], "groups": [["labs"], ["labs", "orders"], [], ["orders"]]})
    rates = dict(zip(REWARDABLE, request_rates(asked, ground([0, 1, 0, 1]))[0], strict=True))
    assert (rates["labs"], rates["orders"], rates["imaging"]) == (0.5, 0.5, 0.0)


def test_rank_correlation_by_hand_with_ties():
    benefit = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    rate = np.array([[0.0, 0.0, 0.5, 1.0], [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]])
    found = rank_correlation(benefit, rate)
    # ranks 1 2 3 4 and 1.5 1.5 3 4: 4.5 / sqrt(5 * 4.5)
    assert found[0] == pytest.approx(4.5 / np.sqrt(5 * 4.5))
    assert found[1] == pytest.approx(-1)
    assert np.isnan(found[2])


def test_change_is_taken_resample_by_resample():
    base = Value({"revisit": np.array([[0.1, 0.2]])}, {"revisit": np.array([[0.5, 0.0]])})
    full = Value({"revisit": np.array([[0.3, 0.1]])}, {"revisit": np.array([[0.9, 0.0]])})
    change = full.minus(base)
    assert change.benefit["revisit"] == pytest.approx(np.array([[0.2, -0.1]]))
    assert change.rate["revisit"] == pytest.approx(np.array([[0.4, 0.0]]))


def test_draws_of_the_random_arm_are_averaged_and_own_minus_random_is_paired():
    labels = [0, 0, 1, 1]
    perfect, half = [0.1, 0.2, 0.8, 0.9], [0.1, 0.9, 0.2, 0.8]
    predictions = pl.concat([arm("own", 1, perfect), arm("random", 1, half), arm("random", 1, perfect, draw=1)])
    here = ground(labels)
    found = by_policy({"full.seed0": curves(predictions, here, ("auroc", "calls", "unanswered"))}, RULES)
    table = budget_table(found, here, RULES).filter(pl.col("task") == "revisit").sort("arm")
    assert table.select("arm", "auroc", "diff").rows() == [("own", 1.0, 0.25), ("random", 0.75, None)]
    assert table["n_pos"].to_list() == [2, 2]


def test_an_unanswered_case_counts_with_the_training_prevalence():
    here = ground([0, 1, 1])
    found = curves(arm("random", 1, [0.2, None, 0.9]), here, ("brier", "unanswered"))[RANDOM, 1]
    assert found["revisit", "unanswered"][0] == pytest.approx(1 / 3)
    assert found["revisit", "brier"][0] == pytest.approx((0.2**2 + 0.75**2 + 0.1**2) / 3)


def test_predictions_that_lack_a_sampled_case_are_refused():
    with pytest.raises(DataError, match="exactly the sampled cases"):
        ground([0, 1, 1]).outcomes(arm("random", 1, [0.2, 0.3]))


def test_reading_sets_every_model_against_the_reference():
    here = ground([0, 0, 1, 1])
    metrics = ("auroc", "brier", "unanswered")
    models = {"full.seed0": [0.1, 0.2, 0.8, 0.9], "teacher": [0.1, 0.9, 0.2, 0.8]}
    found = {name: curves(arm("random", 2, p), here, metrics) for name, p in models.items()}
    table = reading_table(by_policy(found, RULES), here, RULES).filter(pl.col("task") == "macro")
    assert table.select("policy", "k", "auroc", "diff").rows() == [("full", 2, 1.0, None), ("teacher", 2, 0.5, -0.5)]


def test_changes_of_p_by_hand():
    predictions = pl.concat(
        [
            arm(ORIGINAL, 10, [0.2, 0.4, 0.5]),
            arm("critical", 10, [0.6, 0.4, None], groups=[["labs"]] * 3),
        ]
    )
    here = ground([0, 1, 1])
    assert changes(predictions, here)["change"].round(6).to_list() == [0.4, 0.0, None]
    row = counterfactual_table({"base.seed0": predictions}, here, RULES).row(0, named=True)
    assert (row["policy"], row["function"], row["edit"]) == ("base", "labs", "critical")
    assert (row["change"], row["size"], row["rose"], row["fell"]) == (0.2, 0.2, 0.5, 0.0)
    assert (row["n"], row["unanswered"]) == (3, 1)


FEATURES = ("triage__hr", "labs__abnormal", "orders__count", "vital_sign_values__hr_1", "context__setting")


def rows(n=2):
    keys = pl.DataFrame({"instance_id": range(n), "mrn": range(n), "split": ["test"] * n, "task": ["revisit"] * n})
    values = np.arange(n * 5, dtype=np.float32).reshape(n, 5)
    return Rows(keys.with_columns(setting=pl.lit("3d"), label=pl.lit(0)), values, FEATURES)


def test_a_tree_sees_the_view_and_its_groups_and_nothing_else():
    found = masked(rows(), [("labs",), ("orders", "imaging")])
    known = ~np.isnan(found.values)
    assert known.tolist() == [[True, True, False, False, True], [True, False, True, False, True]]


def test_the_random_arm_of_a_tree_uses_the_drawn_groups():
    drawn = pl.DataFrame(
        {"instance_id": [0, 1], "draw": [0, 0], "groups": [["labs", "orders"], ["orders", "labs"]]},
    )
    seen = random_arm(lambda chosen: np.nansum(chosen.values, axis=1), rows(), drawn, (1, 2))
    assert seen.filter(k=1)["p"].to_list() == [0 + 1 + 4, 5 + 7 + 9]
    assert seen.filter(k=2)["p"].to_list() == [0 + 1 + 2 + 4, 5 + 6 + 7 + 9]
    assert seen.filter(k=1)["groups"].to_list() == [["labs"], ["orders"]]


def test_an_edit_changes_the_columns_of_its_function_alone():
    edits = pl.DataFrame({"instance_id": [1], "function": ["labs"], "edit": ["normal"], "values": [[100.0]]})
    found = edited_arms(lambda chosen: np.nansum(chosen.values, axis=1), rows(), edits)
    assert found.select("instance_id", "arm", "p").rows() == [
        (0, ORIGINAL, 0 + 1 + 2 + 4),
        (1, "normal", 5 + 100 + 7 + 9),
        (1, ORIGINAL, 5 + 6 + 7 + 9),
    ]


def test_the_map_takes_one_case_of_a_patient_and_holds_no_id():
    cases = pl.DataFrame(
        {"instance_id": range(30), "mrn": [one // 3 for one in range(30)], "task": ["revisit"] * 30},
    )
    chosen = choose(cases, 4, 0)
    assert chosen.join(cases, on="instance_id")["mrn"].n_unique() == 4
    calls = {one: (1.0 if at < 2 else 0.0) for at, one in enumerate(chosen["instance_id"])}
    wide = [(one, name, value * (name == "labs")) for one, value in calls.items() for name in MENU]
    own = pl.DataFrame(wide, schema=["instance_id", "function", "value"], orient="row")
    shown = call_map({"full.seed0": own}, chosen)
    assert shown.columns == ["model", "task", "patient", "function", "value"]
    assert shown.filter(function="labs")["value"].to_list() == [1.0, 1.0, 0.0, 0.0]


def test_contributions_are_shares_of_what_a_tree_takes_from_functions():
    chosen = pl.DataFrame({"instance_id": [5], "task": ["revisit"]})
    raw = {"context": 9.0, **dict.fromkeys(TREE_COLUMNS, 0.0), "labs": 3.0, "orders": 1.0}
    frame = pl.DataFrame({"instance_id": 5, "function": list(raw), "contribution": list(raw.values())})
    shares = dict(contributed(frame, chosen).select("function", "value").rows())
    assert len(shares) == 13 and shares["labs"] == 0.75 and shares["orders"] == 0.25


def test_calls_beside_auroc_from_metrics_tables():
    columns = ("task", "setting", "metric", "value", "ci_low", "ci_high", "unanswered_as")
    metrics = pl.DataFrame(
        [
            ("revisit", "mean", "auroc", 0.8, 0.7, 0.9, "prevalence"),
            ("revisit", "mean", "auroc", 0.7, 0.6, 0.8, "zero"),
            ("revisit", "3d", "auroc", 0.6, 0.5, 0.7, "prevalence"),
            ("revisit", "mean", "calls", 3.5, 3.0, 4.0, "prevalence"),
        ],
        schema=columns,
        orient="row",
    )
    assert calls_table({"full.seed0": metrics}).rows() == [("full.seed0", "revisit", 0.8, 0.7, 0.9, 3.5, 3.0, 4.0)]


def test_correlations_have_a_row_per_policy_and_task():
    one = Value({"revisit": np.tile(np.arange(10.0), (3, 1))}, {"revisit": np.tile(np.arange(10.0), (3, 1))})
    assert correlation_table({"full": one}, RULES).rows() == [("full", "revisit", 1.0, 1.0, 1.0, 10)]


def judged(p, right, calls, slips=0):
    columns = {"instance_id": [1, 2, 3, 4], "task": ["revisit"] * 4, "setting": ["3d"] * 4, "p": p, "calls": calls}
    columns |= {"wrong_direction": [slips, 0, 0, 0], "wrong_value": [0] * 4, "label": [0] * 4, "right": right}
    return pl.DataFrame(columns)


def test_pairs_are_picked_by_rule():
    a = judged([0.1, 0.2, 0.3, 0.9], [True, True, True, False], [3, 1, 2, 5], slips=1)
    b = judged([0.9, 0.8, 0.3, 0.1], [False, False, True, True], [9, 9, 9, 9])
    assert pick(a, b, 1) == {
        1: ["only A is right", "numeric slip"],
        4: ["only B is right"],
        3: ["both right, fewest calls"],
    }
    assert set(pick(a, b, 2)) == {1, 2, 3, 4}


def test_budgets_need_neighbours_and_the_request_budget():
    with pytest.raises(ValueError, match="neighbours"):
        StudiesConfig(budgets=(2, 4, 6))
    with pytest.raises(ValueError, match="request_budget"):
        StudiesConfig(budgets=(1, 2, 3))
    with pytest.raises(ValueError, match="ascending"):
        StudiesConfig(budgets=(4, 3))
