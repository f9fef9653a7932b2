"""One LightGBM model per task: out-of-fold risk on training patients, gains and per-patient contributions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import lightgbm as lgb
import numpy as np
import polars as pl

from tirec.config.teacher import TeacherConfig
from tirec.evidence.menu import function_of
from tirec.teacher.folds import patient_folds, patient_holdout
from tirec.teacher.rows import Rows, TeacherError, require_classes


@dataclass(frozen=True)
class Fold:
    """Training rows of some patients and a model that saw none of them."""

    held_out: np.ndarray
    """(training rows,) true for the rows of these patients."""
    booster: lgb.Booster


@dataclass(frozen=True)
class Teacher:
    """What a fitted teacher says of its task."""

    model: str
    """LightGBM text of the model fitted on all training rows."""
    risk: pl.DataFrame
    """instance_id, p: out-of-fold on train, of the full model on validation and test."""
    importance: pl.DataFrame
    """feature, function, gain, largest gain first."""
    contributions: pl.DataFrame
    """instance_id, function, contribution: summed absolute contributions (log odds)."""
    folds: tuple[Fold, ...] = ()
    """The models behind the out-of-fold risk."""


def fit(rows: Rows, rules: TeacherConfig) -> Teacher:
    """Fits one task's teacher."""
    train = rows.of_split("train")
    require_classes(train.label, "teacher")
    booster = fit_booster(train, rules)
    folds = tuple(fit_folds(train, rules))
    other = rows.of_split("validation", "test")
    risk = [_risk(train, _held_out_risk(train, folds, rules)), _risk(other, predict(booster, other, rules.threads))]
    return Teacher(
        model=model_text(booster),
        risk=pl.concat(risk).sort("instance_id"),
        importance=gains(booster),
        contributions=contributions(booster, rows.of_split(*rules.contribution_splits), rules.threads),
        folds=folds,
    )


def fit_folds(train: Rows, rules: TeacherConfig) -> Iterator[Fold]:
    """One model per fold of patients, fitted on all the others."""
    fold = patient_folds(train.patient, train.label, rules.folds, rules.seed)
    for number in range(rules.folds):
        held_out = fold == number
        require_classes(train.label[~held_out], f"teacher, fold {number + 1} of {rules.folds}")
        yield Fold(held_out, fit_booster(train.where(~held_out), rules))


def _held_out_risk(train: Rows, folds: Iterable[Fold], rules: TeacherConfig) -> np.ndarray:
    risk = np.full(len(train.values), np.nan)
    for fold in folds:
        risk[fold.held_out] = predict(fold.booster, train.where(fold.held_out), rules.threads)
    return risk


def fit_booster(train: Rows, rules: TeacherConfig) -> lgb.Booster:
    """A model on all given rows, with the number of trees that an inner patient holdout found best."""
    parameters = _parameters(rules)
    data = lgb.Dataset(train.values, train.label, feature_name=list(train.features), params=parameters).construct()
    return lgb.train(parameters, data, num_boost_round=_best_rounds(train, data, rules))


def _best_rounds(train: Rows, data: lgb.Dataset, rules: TeacherConfig) -> int:
    """Trees with the best log loss on held-out patients; the holdout shares the bins, which know no labels."""
    held_out = patient_holdout(train.patient, train.label, rules.inner_share, rules.seed + 1)
    require_classes(train.label[~held_out], "teacher, inner search")
    inner, outer = (data.subset(np.flatnonzero(inside).tolist()) for inside in (~held_out, held_out))
    stop = lgb.early_stopping(rules.tree.patience, verbose=False)
    found = lgb.train(_parameters(rules), inner, rules.tree.max_rounds, valid_sets=[outer], callbacks=[stop])
    return max(1, found.best_iteration)


def _parameters(rules: TeacherConfig) -> dict[str, object]:
    """LightGBM's parameters; deterministic whatever the number of threads."""
    return {
        "objective": "binary",
        "metric": "binary_logloss",
        "learning_rate": rules.tree.learning_rate,
        "num_leaves": rules.tree.leaves,
        "min_data_in_leaf": rules.tree.min_leaf_rows,
        "feature_fraction": rules.tree.feature_share,
        "lambda_l2": rules.tree.l2,
        "max_bin": rules.tree.bins,
        "seed": rules.seed,
        "num_threads": rules.threads,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }


def predict(booster: lgb.Booster, rows: Rows, threads: int) -> np.ndarray:
    """(rows,) risk; the features must be those of the fit, in their order."""
    require_features(booster, rows)
    return np.asarray(booster.predict(rows.values, num_threads=threads)) if len(rows.values) else np.empty(0)


def require_features(booster: lgb.Booster, rows: Rows) -> None:
    """Raises unless names and order of the features are those the model was fitted on."""
    if booster.feature_name() != list(rows.features):
        raise TeacherError("the features are not those the teacher was fitted on, or stand in another order")


def gains(booster: lgb.Booster) -> pl.DataFrame:
    """feature, function, total gain; largest gain first, then by name."""
    frame = pl.DataFrame(
        {"feature": booster.feature_name(), "gain": booster.feature_importance(importance_type="gain")}
    ).with_columns(pl.col("feature").map_elements(function_of, return_dtype=pl.String).alias("function"))
    return frame.select("feature", "function", "gain").sort(["gain", "feature"], descending=[True, False])


def contributions(booster: lgb.Booster, rows: Rows, threads: int) -> pl.DataFrame:
    """Per instance and function, the sum over its features of the absolute contribution in log odds."""
    require_features(booster, rows)
    functions = list(dict.fromkeys(function_of(name) for name in rows.features))
    member = np.array([[function_of(name) == function for function in functions] for name in rows.features])
    frame = pl.DataFrame(np.abs(_parts(booster, rows, threads)) @ member.astype(float), schema=functions)
    frame = frame.with_columns(rows.keys["instance_id"])
    return frame.unpivot(index="instance_id", variable_name="function", value_name="contribution").sort(
        "instance_id", maintain_order=True
    )


def _parts(booster: lgb.Booster, rows: Rows, threads: int) -> np.ndarray:
    """(rows, features) contributions; LightGBM's last column, the expected value, belongs to no feature."""
    if not len(rows.values):
        return np.empty((0, len(rows.features)))
    return np.asarray(booster.predict(rows.values, pred_contrib=True, num_threads=threads))[:, :-1]


def model_text(booster: lgb.Booster) -> str:
    """The model as text, without the number of threads (which changes no result)."""
    lines = booster.model_to_string(num_iteration=-1).splitlines()
    return "\n".join("[num_threads: 0]" if line.startswith("[num_threads:") else line for line in lines) + "\n"


def _risk(rows: Rows, p: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"instance_id": rows.keys["instance_id"], "p": p}, schema_overrides={"p": pl.Float64})
