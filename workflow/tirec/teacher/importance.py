"""How much a teacher rests on each function: by gain, by permutation and by SHAP, the last two out of fold."""

from collections.abc import Iterable
from dataclasses import replace

import lightgbm as lgb
import numpy as np
import polars as pl

from tirec.config.teacher import TeacherConfig
from tirec.evidence.menu import function_of
from tirec.teacher.gbm import Teacher, contributions, predict
from tirec.teacher.rows import Rows


def by_function(rows: Rows, teacher: Teacher, rules: TeacherConfig) -> pl.DataFrame:
    """function, gain, permutation, shap: one row per function, in the order of the features.

    `gain` is the full model's total; the others are means over `importance_rows` seeded training rows: the rise of the
    log loss when all of a function's columns are exchanged between rows together, and the summed absolute contribution
    (log odds). Both are 0 without rows and for a teacher without folds.
    """
    found = pl.DataFrame({"function": list(dict.fromkeys(map(function_of, rows.features)))})
    gain = teacher.importance.group_by("function").agg(pl.col("gain").sum())
    for measured in (gain, *_out_of_fold(rows.of_split("train"), teacher, rules)):
        found = found.join(measured, on="function", how="left", maintain_order="left")
    return found.fill_null(0.0)


def _out_of_fold(train: Rows, teacher: Teacher, rules: TeacherConfig) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(function, permutation) and (function, shap)."""
    draw = np.random.default_rng([rules.seed, 5])
    chosen = np.zeros(len(train.values), dtype=bool)
    chosen[draw.permutation(chosen.size)[: rules.importance_rows]] = True
    parts = [(fold.booster, train.where(fold.held_out & chosen)) for fold in teacher.folds]
    risen = (_rises(booster, rows, draw, rules.threads) for booster, rows in parts)
    shares = (contributions(booster, rows, rules.threads) for booster, rows in parts)
    n = int(chosen.sum())
    return _mean(risen, "rise", "permutation", n), _mean(shares, "contribution", "shap", n)


def _mean(parts: Iterable[pl.DataFrame], column: str, name: str, rows: int) -> pl.DataFrame:
    """function and the mean over rows of a column that the parts hold in pieces."""
    kinds = {"function": pl.String, column: pl.Float64}
    whole = pl.concat([pl.DataFrame(schema=kinds), *(part.select(*kinds) for part in parts)])
    return whole.group_by("function").agg((pl.col(column).sum() / max(rows, 1)).alias(name))


def _rises(booster: lgb.Booster, rows: Rows, draw: np.random.Generator, threads: int) -> pl.DataFrame:
    """function, rise: how much the summed log loss rises when a function's columns change places; used ones only."""
    owner = np.array([function_of(name) for name in rows.features])
    usual = _log_loss(rows.label, predict(booster, rows, threads))
    rise = {}
    for function in dict.fromkeys(owner[booster.feature_importance("split") > 0].tolist()):
        values, own = rows.values.copy(), owner == function
        values[:, own] = values[draw.permutation(len(values))][:, own]
        rise[function] = _log_loss(rows.label, predict(booster, replace(rows, values=values), threads)) - usual
    return pl.DataFrame({"function": list(rise), "rise": list(rise.values())}, schema=_RISE)


_RISE = {"function": pl.String, "rise": pl.Float64}


def _log_loss(label: np.ndarray, p: np.ndarray) -> float:
    """Summed over rows; a tree's risk is never quite 0 or 1."""
    return float(-np.log(np.where(label == 1, p, 1 - p)).sum())
