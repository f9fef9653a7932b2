"""Every classical model learns, sees only what it may, and is the same twice."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score
from tabular_cases import FITTED, features, instances, made, quick

from tirec.config.models import Estimator, TabularConfig
from tirec.policy.tabular.fit import Parts, fit, objective
from tirec.policy.tabular.learners import SPACES, candidates
from tirec.policy.tabular.policy import WEIGHTS
from tirec.teacher.rows import OneClassError, Rows

FOUND = instances()


def turned(*where: pl.Expr) -> pl.DataFrame:
    """The instances with the labels of some turned round."""
    inside = pl.any_horizontal(where).fill_null(False)
    return FOUND.with_columns(label=pl.when(inside).then(1 - pl.col("label")).otherwise("label"))


def weights(folder: Path, config: TabularConfig, given: Parts) -> bytes:
    """The bytes that a fit writes."""
    fit(given, "revisit", config).save(folder / "policy.json", config, "synthetic")
    return (folder / WEIGHTS).read_bytes()


def with_other_test_rows(rows: Rows) -> pl.DataFrame:
    """The features with those of the test visits dealt out anew."""
    table = features()
    test = np.unique(rows.keys.filter(pl.col("split") == "test")["instance_id"].to_numpy() % table.height)
    order = np.arange(table.height)
    order[test] = np.random.default_rng(3).permutation(test)
    return table[order].with_columns(table["evidence_id"])


@pytest.mark.parametrize("estimator", FITTED)
def test_it_learns_what_tells_the_outcome(estimator: Estimator) -> None:
    rows, given = made(quick(estimator))
    test = rows.of_split("test")
    p = fit(given, "revisit", quick(estimator)).predict(test)
    assert roc_auc_score(test.label, p) > 0.8
    assert p.mean() == pytest.approx(test.label.mean(), abs=0.08)


@pytest.mark.parametrize("estimator", FITTED)
def test_what_is_learned_rests_on_train_and_half_a_alone(estimator: Estimator, tmp_path: Path) -> None:
    """Other labels in half B and test, other features in test: no byte before calibration differs, twice the same."""
    config = quick(estimator, calibration="none")
    rows, given = made(config)
    unseen = turned(pl.col("half") == "B", pl.col("split") == "test")
    _, other = made(config, unseen, with_other_test_rows(rows))
    assert not np.array_equal(given.calibrate.label, other.calibrate.label)
    assert weights(tmp_path / "one", config, given) == weights(tmp_path / "two", config, other)


def test_half_a_chooses_and_half_b_calibrates(tmp_path: Path) -> None:
    """The test above can fail: labels of half A change when boosting stops, those of half B change the calibration."""
    config = quick("lightgbm")
    for changed, calibration in ((pl.col("half") == "A", "none"), (pl.col("half") == "B", "sigmoid")):
        config = quick("lightgbm", calibration=calibration)
        usual, other = (made(config, found)[1] for found in (FOUND, turned(changed)))
        assert weights(tmp_path / "one", config, usual) != weights(tmp_path / "two", config, other)


def test_settings_fitted_side_by_side_end_in_the_same_bytes(tmp_path: Path) -> None:
    config = quick("lightgbm", search=3)
    _, given = made(config)
    alone, together = (
        weights(tmp_path / str(threads), config.model_copy(update={"threads": threads}), given) for threads in (1, 2)
    )
    assert alone == together
    assert (tmp_path / "1/policy.json").read_bytes() == (tmp_path / "2/policy.json").read_bytes()


def test_no_patient_is_in_two_parts_and_the_listed_ones_are_fewer() -> None:
    sizes = {}
    for which in ("all", "sampled"):
        _, given = made(quick("logistic", rows=which))
        patients = [set(part.patient.tolist()) for part in (given.train, given.tune, given.calibrate)]
        assert not patients[0] & patients[1] and not patients[1] & patients[2] and not patients[0] & patients[2]
        assert set(given.train.keys["split"]) == {"train"}
        assert set(given.tune.keys["split"]) == set(given.calibrate.keys["split"]) == {"validation"}
        sizes[which] = [len(part.values) for part in (given.train, given.tune, given.calibrate)]
    assert sizes["all"] == [900, 300, 300]
    assert sizes["sampled"] == [300, 100, 100]


@pytest.mark.parametrize("estimator", FITTED)
def test_a_search_starts_with_the_default_and_repeats_nothing(estimator: Estimator) -> None:
    tried = candidates(estimator, 5, seed=1)
    assert tried[0] == {name: values[0] for name, values in SPACES[estimator].items()}
    assert len({str(settings) for settings in tried}) == 5
    assert tried == candidates(estimator, 5, seed=1) != candidates(estimator, 5, seed=2)
    assert len(candidates(estimator, 1000, seed=1)) == np.prod([len(values) for values in SPACES[estimator].values()])


def test_a_score_has_nothing_to_search() -> None:
    assert candidates("news2", 8, seed=0) == [{}]


def test_the_objective_is_the_mean_over_settings_with_both_classes() -> None:
    rows, _ = made(quick("logistic"))
    tune = rows.where((rows.keys["setting"] == "3d").to_numpy() | (rows.label == 1)).of_split("validation")
    p = np.where(tune.label == 1, 0.9, 0.2)
    assert objective(tune, p, quick("logistic")) == pytest.approx(1.0)
    expected = np.mean(np.log(np.where(tune.label == 1, 0.9, 0.8))[(tune.keys["setting"] == "3d").to_numpy()])
    assert objective(tune, p, quick("logistic", objective="log_loss")) == pytest.approx(expected)
    positives = tune.where(tune.label == 1)
    assert objective(positives, np.full(len(positives.values), 0.5), quick("logistic")) is None


@pytest.mark.parametrize("estimator", ["lightgbm", "xgboost"])
def test_without_both_classes_in_half_a_nothing_is_tuned(estimator: Estimator) -> None:
    none = FOUND.with_columns(label=pl.when(pl.col("half") == "A").then(0).otherwise("label"))
    rows, given = made(quick(estimator), none)
    model = fit(given, "revisit", quick(estimator))
    assert [trial.reached for trial in model.search] == [None, None]
    assert roc_auc_score(rows.of_split("test").label, model.predict(rows.of_split("test"))) > 0.75


def test_floors_know_the_setting_or_the_initial_view_alone() -> None:
    config = quick("prevalence", calibration="none")
    rows, given = made(config)
    rate = given.train.keys.group_by("setting").agg(p=pl.col("label").mean())
    expected = rows.keys.join(rate, on="setting", how="left", maintain_order="left")["p"]
    assert fit(given, "revisit", config).predict(rows) == pytest.approx(expected.to_numpy())
    config = quick("lightgbm", columns="arrival")
    table = features().with_columns(triage__acuity=pl.lit(3.0, pl.Float32), triage__pain=pl.lit(1.0, pl.Float32))
    rows, given = made(config, table=table)
    model = fit(given, "revisit", config)
    assert model.features == ("triage__acuity", "context__setting")
    assert np.unique(model.predict(rows)).size <= 2


def test_one_class_in_training_stops_with_one_line() -> None:
    none = FOUND.with_columns(label=pl.when(pl.col("split") == "train").then(0).otherwise("label"))
    with pytest.raises(OneClassError, match=r"mlp, revisit: training rows: one class only \(0 positive of 900\)"):
        fit(made(quick("mlp"), none)[1], "revisit", quick("mlp"))
