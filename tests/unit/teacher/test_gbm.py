"""The tree teacher: out of fold by patient, deterministic, its gains and contributions by function."""

import lightgbm as lgb
import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from tirec.config.teacher import TeacherConfig, TreeConfig
from tirec.teacher import gbm
from tirec.teacher.folds import patient_folds
from tirec.teacher.rows import Rows, TeacherError, join_rows, read_rows

VISITS = 600
TREE = TreeConfig(learning_rate=0.2, leaves=6, min_leaf_rows=5, feature_share=1.0, max_rounds=60, patience=5)
RULES = TeacherConfig(tree=TREE)


def features(seed: int = 0) -> pl.DataFrame:
    """Two telling columns, one of noise, and one that tells patients apart (two visits each) and nothing else."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(rng.normal(size=VISITS // 2), 2)
    columns = {
        "heart_rate__last": rng.normal(size=VISITS),
        "heart_rate__max": rng.normal(size=VISITS),
        "labs__abnormal": np.where(rng.random(VISITS) < 0.3, np.nan, rng.normal(size=VISITS)),
        "context__elapsed_min": patient,
    }
    return pl.DataFrame({"evidence_id": np.arange(VISITS), **{k: v.astype(np.float32) for k, v in columns.items()}})


def instances(found: pl.DataFrame, shuffled: bool = False, seed: int = 0) -> pl.DataFrame:
    """Three settings per visit; shuffled labels belong to the patient and to nothing the tree can know of another."""
    rng = np.random.default_rng(seed)
    visit = np.arange(VISITS)
    odds = 2 * found["heart_rate__last"].to_numpy() + np.nan_to_num(found["labs__abnormal"].to_numpy()) - 0.5
    of_patient = np.repeat(rng.random(VISITS // 2) < 0.4, 2)
    split = np.where(visit < 400, "train", np.where(visit < 500, "validation", "test"))
    return pl.concat(
        pl.DataFrame(
            {
                "instance_id": k * VISITS + visit,
                "evidence_id": visit,
                "mrn": visit // 2,
                "split": split,
                "task": "revisit",
                "setting": setting,
                "label": (of_patient if shuffled else rng.random(VISITS) < 1 / (1 + np.exp(-odds))).astype(np.int8),
            }
        )
        for k, setting in enumerate(("3d", "7d", "14d"))
    )


def rows(shuffled: bool = False) -> Rows:
    found = features()
    return join_rows(instances(found, shuffled), found)


ROWS = rows()
TEACHER = gbm.fit(ROWS, RULES)


def auroc(keys: pl.DataFrame, risk: pl.DataFrame, split: str) -> float:
    cases = keys.filter(pl.col("split") == split).join(risk, on="instance_id")
    return float(roc_auc_score(cases["label"], cases["p"]))


def test_every_instance_has_one_finite_risk() -> None:
    assert TEACHER.risk["instance_id"].to_list() == ROWS.keys["instance_id"].to_list()
    assert TEACHER.risk["p"].is_between(0, 1, closed="none").all()


def test_it_learns() -> None:
    assert min(auroc(ROWS.keys, TEACHER.risk, split) for split in ("train", "validation", "test")) > 0.75


def test_training_risk_is_out_of_fold_by_patient() -> None:
    """Labels that only a patient's own rows give away: a tree in sample knows them, the teacher's risk must not."""
    shuffled = rows(shuffled=True)
    train = shuffled.of_split("train")
    rules = RULES.model_copy(update={"tree": TREE.model_copy(update={"leaves": 31, "min_leaf_rows": 2})})
    out_of_fold = gbm._held_out_risk(train, gbm.fit_folds(train, rules), rules)
    in_sample = lgb.train(
        {"num_leaves": 127, "min_data_in_leaf": 2, "verbosity": -1, "objective": "binary", "num_threads": 1},
        lgb.Dataset(train.values, train.label),
        60,
    ).predict(train.values)
    assert roc_auc_score(train.label, in_sample) > 0.95
    assert abs(roc_auc_score(train.label, out_of_fold) - 0.5) < 0.1


def test_each_fold_is_predicted_by_a_model_fitted_without_its_patients() -> None:
    train = ROWS.of_split("train")
    fold = patient_folds(train.patient, train.label, RULES.folds, RULES.seed)
    inside = fold == 2
    alone = gbm.predict(gbm.fit_booster(train.where(~inside), RULES), train.where(inside), threads=1)
    risk = train.where(inside).keys.join(TEACHER.risk, on="instance_id", maintain_order="left")["p"]
    assert risk.to_numpy() == pytest.approx(alone, abs=0)


def test_validation_and_test_labels_change_nothing() -> None:
    keys = ROWS.keys.with_columns(
        label=pl.when(pl.col("split") == "train").then("label").otherwise(1 - pl.col("label"))
    )
    other = gbm.fit(Rows(keys, ROWS.values, ROWS.features), RULES)
    assert other.model == TEACHER.model
    assert other.risk.equals(TEACHER.risk)


def test_same_bytes_twice() -> None:
    again = gbm.fit(ROWS, RULES)
    assert again.model == TEACHER.model
    assert again.risk.equals(TEACHER.risk)
    assert again.importance.equals(TEACHER.importance)
    assert again.contributions.equals(TEACHER.contributions)


def test_same_model_whatever_the_threads() -> None:
    few = TREE.model_copy(update={"max_rounds": 4})
    train = ROWS.of_split("train")
    rules = [RULES.model_copy(update={"tree": few, "threads": threads}) for threads in (1, 2)]
    one, two = (gbm.model_text(gbm.fit_booster(train, each)) for each in rules)
    assert one == two


def test_gain_is_the_models_total_gain_by_feature() -> None:
    booster = lgb.Booster(model_str=TEACHER.model)
    gain = dict(zip(booster.feature_name(), booster.feature_importance("gain"), strict=True))
    assert dict(TEACHER.importance.select("feature", "gain").iter_rows()) == pytest.approx(gain)
    assert TEACHER.importance["feature"][0] == "heart_rate__last"
    assert TEACHER.importance["gain"].is_sorted(descending=True)
    assert set(TEACHER.importance["function"]) == {"heart_rate", "labs", "context"}


def test_contributions_are_summed_absolute_shares_of_each_function() -> None:
    test = ROWS.of_split("test")
    booster = lgb.Booster(model_str=TEACHER.model)
    parts = np.abs(booster.predict(test.values, pred_contrib=True))  # (rows, features + expected value)
    heart = [place for place, name in enumerate(test.features) if name.startswith("heart_rate__")]
    found = TEACHER.contributions.filter(pl.col("function") == "heart_rate")
    assert found["instance_id"].to_list() == test.keys["instance_id"].to_list()
    assert found["contribution"].to_numpy() == pytest.approx(parts[:, heart].sum(axis=1))
    assert TEACHER.contributions["function"].n_unique() == 3


def test_the_setting_is_a_feature_of_no_function() -> None:
    assert ROWS.features[-1] == "context__setting"
    assert set(ROWS.values[:, -1].tolist()) == {3.0, 7.0, 14.0}


def test_features_in_another_order_are_refused() -> None:
    booster = lgb.Booster(model_str=TEACHER.model)
    swapped = Rows(ROWS.keys, ROWS.values, (ROWS.features[1], ROWS.features[0], *ROWS.features[2:]))
    with pytest.raises(TeacherError, match="another order"):
        gbm.predict(booster, swapped, threads=1)


def test_one_class_is_refused_before_fitting() -> None:
    with pytest.raises(TeacherError, match="one class only"):
        gbm.fit(Rows(ROWS.keys.with_columns(label=pl.lit(0)), ROWS.values, ROWS.features), RULES)


def test_infinite_values_are_refused_by_name() -> None:
    found = features().with_columns(pl.lit(np.inf).cast(pl.Float32).alias("labs__abnormal"))
    with pytest.raises(TeacherError, match="labs__abnormal"):
        join_rows(instances(features()), found)


def test_instances_without_features_are_refused() -> None:
    with pytest.raises(TeacherError, match="3 instances have no features"):
        join_rows(instances(features()), features().tail(-1))


def test_rows_of_another_task_are_refused(tmp_path) -> None:
    instances(features()).write_parquet(tmp_path / "3d.parquet")
    features().write_parquet(tmp_path / "features.parquet")
    assert len(read_rows([tmp_path / "3d.parquet"], tmp_path / "features.parquet", "revisit").values) == 3 * VISITS
    with pytest.raises(TeacherError, match="disposition"):
        read_rows([tmp_path / "3d.parquet"], tmp_path / "features.parquet", "disposition")


def test_nothing_to_split_on_is_no_error() -> None:
    """Only noise: the model may be a constant, its gains are 0 and its risks the prevalence."""
    blank = np.full_like(ROWS.values, np.nan)
    teacher = gbm.fit(Rows(ROWS.keys, blank, ROWS.features), RULES)
    assert teacher.importance["gain"].sum() == 0
    train = ROWS.of_split("train")
    test_risk = teacher.risk.join(ROWS.of_split("test").keys, on="instance_id", how="semi")["p"]
    assert test_risk.to_numpy() == pytest.approx(train.label.mean(), abs=0.01)
