"""Importance by function: out of fold, functions permuted whole, SHAP as in the contributions."""

import numpy as np
import polars as pl
import pytest

from tirec.config.teacher import TeacherConfig, TreeConfig
from tirec.teacher import gbm
from tirec.teacher.importance import by_function
from tirec.teacher.rows import Rows
from tirec.teacher.undefined import undefined_teacher

FEATURES = ("labs__a", "labs__copy_of_a", "orders__weak", "imaging__noise", "context__patient")
RULES = TeacherConfig(tree=TreeConfig(learning_rate=0.2, leaves=6, min_leaf_rows=5, feature_share=1.0, max_rounds=30))


def rows(visits: int = 900) -> Rows:
    """A strong function of two equal columns, a weak one, noise, and a column that tells patients apart."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(visits, 5)).astype(np.float32)
    x[:, 1] = x[:, 0]
    x[:, 4] = np.arange(visits) // 2
    label = (2 * x[:, 0] + 0.7 * x[:, 2] + rng.normal(size=visits) > 0).astype(np.int8)
    split = np.where(np.arange(visits) < 700, "train", "test")
    keys = pl.DataFrame({"instance_id": np.arange(visits), "mrn": np.arange(visits) // 2, "split": split})
    return Rows(keys.with_columns(task=pl.lit("x"), setting=pl.lit("1h"), label=pl.Series(label)), x, FEATURES)


ROWS = rows()
TEACHER = gbm.fit(ROWS, RULES)
FOUND = {row["function"]: row for row in by_function(ROWS, TEACHER, RULES).iter_rows(named=True)}


@pytest.mark.parametrize("kind", ["gain", "permutation", "shap"])
def test_every_kind_finds_the_strong_function_then_the_weak_one(kind: str) -> None:
    ranked = sorted(FOUND, key=lambda function: -FOUND[function][kind])
    assert ranked[:2] == ["labs", "orders"]


def test_columns_of_one_function_change_places_together() -> None:
    """Two equal columns stand in for one another when they are permuted one by one."""
    assert FOUND["labs"]["permutation"] > 0.5


def test_what_was_only_learned_by_heart_is_worth_nothing_out_of_fold() -> None:
    assert FOUND["context"]["gain"] > 0
    assert FOUND["context"]["permutation"] < 0.01


def test_shap_is_the_mean_of_the_contributions_of_the_fold_models() -> None:
    train = ROWS.of_split("train")
    parts = [gbm.contributions(fold.booster, train.where(fold.held_out), 1) for fold in TEACHER.folds]
    mean = pl.concat(parts).group_by("function").agg(pl.col("contribution").sum() / len(train.keys))
    assert {name: FOUND[name]["shap"] for name in FOUND} == pytest.approx(dict(mean.iter_rows()))


def test_few_rows_give_about_the_same_and_the_same_twice() -> None:
    few = RULES.model_copy(update={"importance_rows": 300})
    found = by_function(ROWS, TEACHER, few)
    assert found.equals(by_function(ROWS, TEACHER, few))
    share = found["permutation"].to_numpy() / found["permutation"].sum()
    whole = np.array([FOUND[name]["permutation"] for name in found["function"]])
    assert share == pytest.approx(whole / whole.sum(), abs=0.1)


def test_gain_is_the_importance_file_s_total() -> None:
    total = TEACHER.importance.group_by("function").agg(pl.col("gain").sum())
    assert {name: FOUND[name]["gain"] for name in FOUND} == pytest.approx(dict(total.iter_rows()))


def test_an_undefined_teacher_rests_on_nothing() -> None:
    found = by_function(ROWS, undefined_teacher(ROWS, "one class"), RULES)
    assert found.select("gain", "permutation", "shap").sum().row(0) == (0, 0, 0)
