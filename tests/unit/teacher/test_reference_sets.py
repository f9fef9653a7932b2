"""Reference sets: shares over rewardable functions, gamma, the floor of two, and a tree that never split."""

import numpy as np
import polars as pl
import pytest

from tirec.config.teacher import TeacherConfig
from tirec.evidence.menu import REWARDABLE
from tirec.provenance import write_tsv
from tirec.teacher.reference_sets import KINDS, build, empty_tasks, members, read, sensitivity, shares

RULES = TeacherConfig()


def importance(**gain: float) -> pl.DataFrame:
    """Gains of features named `<function>_<n>` for `<function>__<n>`, in any order."""
    functions = [name.rsplit("_", 1)[0] for name in gain]
    return pl.DataFrame({"feature": list(gain), "function": functions, "gain": list(gain.values())})


def test_shares_sum_features_of_a_function_and_leave_out_what_is_not_rewardable() -> None:
    found = shares(importance(labs_1=3.0, labs_2=3.0, orders_1=2.0, triage_1=50.0, context_1=9.0), REWARDABLE)
    assert found["function"].to_list() == list(REWARDABLE)
    assert dict(found.filter(pl.col("gain") > 0).select("function", "share").iter_rows()) == {
        "labs": 0.75,
        "orders": 0.25,
    }
    assert found["share"].sum() == pytest.approx(1)


MEMBERS = [  # shares, gamma, floor -> members
    ([0.5, 0.3, 0.1, 0.06, 0.04], 0.05, 2, [1, 1, 1, 1, 0]),
    ([0.5, 0.45, 0.05, 0.0, 0.0], 0.05, 2, [1, 1, 0, 0, 0]),  # exactly gamma is not above it
    ([0.0, 0.97, 0.0, 0.03, 0.0], 0.05, 2, [0, 1, 0, 1, 0]),  # the floor takes the next best
    ([0.0, 1.0, 0.0, 0.0, 0.0], 0.05, 2, [1, 1, 0, 0, 0]),  # ... the first listed where all are 0
    ([0.2, 0.2, 0.2, 0.2, 0.2], 0.25, 2, [1, 1, 0, 0, 0]),  # ties go to the first listed
    ([0.2, 0.2, 0.2, 0.2, 0.2], 0.25, 0, [0, 0, 0, 0, 0]),
    ([0.0, 0.0, 0.0, 0.0, 0.0], 0.05, 2, [0, 0, 0, 0, 0]),  # no split: empty, whatever the floor
]


@pytest.mark.parametrize(("share", "gamma", "floor", "expected"), MEMBERS)
def test_members(share: list[float], gamma: float, floor: int, expected: list[int]) -> None:
    assert members(np.array(share), gamma, floor).astype(int).tolist() == expected


def test_a_tree_without_a_split_has_an_empty_set_and_is_named() -> None:
    sets = build(
        {"disposition": importance(labs_1=1.0), "revisit": importance(triage_1=4.0, labs_1=0.0)}, REWARDABLE, RULES
    )
    assert empty_tasks(sets) == ["revisit"]
    assert sets["share"].is_finite().all()


def test_table_round_trip_keeps_the_registry_s_order(tmp_path) -> None:
    given = {"disposition": importance(orders_1=5.0, labs_1=4.0, history_1=1.0), "revisit": importance(triage_1=1.0)}
    sets = build(given, REWARDABLE, RULES)
    assert sets.columns == ["task", "function", "gain", "share", "in_reference"]
    assert sets.height == 2 * len(REWARDABLE)
    write_tsv(sets, tmp_path / "reference_sets.tsv")
    assert read(tmp_path / "reference_sets.tsv") == {"disposition": ("labs", "orders", "history"), "revisit": ()}


def test_sensitivity_names_the_sets_of_other_gammas_and_importances() -> None:
    frame = pl.DataFrame(
        {
            "function": ["labs", "orders", "imaging", "triage"],
            "gain": [90.0, 6.0, 4.0, 500.0],
            "permutation": [0.9, -0.5, 0.1, 2.0],  # orders only do harm out of fold
            "shap": [1.0, 1.0, 0.0, 9.0],
        }
    )
    found = {
        (kind, gamma): names.split() for _, kind, gamma, names in sensitivity({"x": frame}, REWARDABLE, RULES).rows()
    }
    assert found["gain", 0.03] == ["labs", "orders", "imaging"]
    assert found["gain", 0.05] == found["gain", 0.1] == ["labs", "orders"]
    assert found["permutation", 0.08] == ["labs", "imaging"]
    assert found["shap", 0.1] == ["labs", "orders"]
    assert len(found) == len(KINDS) * len(RULES.sensitivity_gammas)


def test_nothing_but_harm_is_an_empty_set() -> None:
    harm = pl.DataFrame({"function": ["labs", "orders"], "permutation": [-1.0, -2.0]})
    assert shares(harm, REWARDABLE, "permutation")["share"].sum() == 0
