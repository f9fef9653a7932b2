"""A saved model: what it refuses to open, functions hidden from it, and its calibration."""

import json
from pathlib import Path

import numpy as np
import pytest
from tabular_cases import made, quick

from tirec.errors import DataError
from tirec.policy.tabular import calibration
from tirec.policy.tabular.fit import fit
from tirec.policy.tabular.policy import WEIGHTS, TabularPolicy, hide
from tirec.teacher.rows import Rows

CONFIG = quick("logistic")
ROWS, PARTS = made(CONFIG)
MODEL = fit(PARTS, "revisit", CONFIG)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    MODEL.save(tmp_path / "policy.json", CONFIG, "synthetic")
    return tmp_path / "policy.json"


def test_what_was_saved_predicts_the_same(saved: Path) -> None:
    loaded = TabularPolicy.load(saved)
    assert np.array_equal(loaded.predict(ROWS), MODEL.predict(ROWS))
    assert (loaded.task, loaded.features, loaded.calibrated, loaded.search) == (
        "revisit",
        ROWS.features,
        "sigmoid",
        MODEL.search,
    )
    assert sorted(path.name for path in saved.parent.iterdir()) == [WEIGHTS, "policy.json"]


def test_damaged_foreign_and_missing_files_are_one_line(saved: Path) -> None:
    weights = saved.with_name(WEIGHTS)
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(DataError, match=r"model\.joblib: is missing or not the file that policy\.json names"):
        TabularPolicy.load(saved)
    saved.write_text(saved.read_text()[:-9])
    with pytest.raises(DataError, match=r"is not the policy\.json of a tabular model"):
        TabularPolicy.load(saved)
    saved.unlink()
    with pytest.raises(DataError, match="does not exist"):
        TabularPolicy.load(saved)


def test_another_version_of_a_library_is_named(saved: Path) -> None:
    content = json.loads(saved.read_text())
    content["libraries"]["scikit-learn"] = "0.1"
    saved.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"fitted with scikit-learn 0\.1"):
        TabularPolicy.load(saved)


def test_columns_are_found_by_name_and_a_missing_one_is_named() -> None:
    turned = Rows(ROWS.keys, ROWS.values[:, ::-1], ROWS.features[::-1])
    assert np.array_equal(MODEL.predict(turned), MODEL.predict(ROWS))
    with pytest.raises(DataError, match="no column heart_rate__last"):
        MODEL.predict(Rows(ROWS.keys, ROWS.values[:, 1:], ROWS.features[1:]))


def test_hidden_functions_have_no_columns_for_all_rows_or_for_some() -> None:
    names = list(ROWS.features)
    gone = hide(ROWS, ("heart_rate", "labs"), np.array([True, False])).values
    assert np.isnan(gone[:, names.index("heart_rate__last")]).all()
    assert np.array_equal(gone[:, 1:], ROWS.values[:, 1:], equal_nan=True)
    half = np.zeros((len(ROWS.values), 2), dtype=bool)
    half[::2, 1] = True
    some = hide(ROWS, ("heart_rate", "labs"), half).values
    assert np.isnan(some[::2, names.index("labs__abnormal")]).all()
    assert np.array_equal(some[1::2], ROWS.values[1::2], equal_nan=True)


@pytest.mark.parametrize("estimator", ["logistic", "random_forest", "lightgbm", "xgboost", "mlp"])
def test_a_model_without_a_telling_function_still_answers_but_knows_less(estimator: str) -> None:
    """Also where the column was never missing in training."""
    config = quick(estimator, search=1)
    rows, given = made(config)
    model, test = fit(given, "revisit", config), rows.of_split("test")
    p = model.predict(hide(test, ("heart_rate",), np.array([True])))
    assert np.isfinite(p).all() and ((p >= 0) & (p <= 1)).all()
    loss = [np.mean((q - test.label) ** 2) for q in (model.predict(test), p)]
    assert loss[0] < loss[1]


LABEL = np.array([0, 0, 1, 0, 1, 1])
P = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_a_sigmoid_keeps_the_order_and_meets_the_prevalence() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    label = (rng.random(4000) < p**2).astype(int)
    found, how = calibration.fit(p, label, "sigmoid")
    assert how == "sigmoid" and found is not None
    assert (np.argsort(found(p)) == np.argsort(p)).all()
    assert found(p).mean() == pytest.approx(label.mean(), abs=0.002)


def test_isotonic_is_the_pooled_staircase() -> None:
    found, _ = calibration.fit(P, LABEL, "isotonic")
    assert found is not None
    assert found(P).tolist() == [0, 0, 0.5, 0.5, 1, 1]
    assert found(np.array([0.0, 0.9])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("label", "kind", "said"),
    [
        (LABEL, "none", "none"),
        (np.zeros(6), "sigmoid", "none: half B is of one class"),
        (1 - LABEL, "sigmoid", "none: half B ranks the other way round"),
    ],
)
def test_where_nothing_can_be_calibrated_p_stays_and_it_is_said(label: np.ndarray, kind: str, said: str) -> None:
    assert calibration.fit(P, label, kind) == (None, said)
