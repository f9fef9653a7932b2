"""Boosted trees on one group of columns, and the share of each condition: the floors, and all laboratory values."""

from collections.abc import Mapping
from dataclasses import dataclass

import lightgbm as lgb
import numpy as np
import polars as pl

from tirec.config.lacdm import CONDITIONS, CdmTabularConfig
from tirec.lacdm.menu import ClinicalTest, Menu
from tirec.lacdm.tabular.features import KEYS, LAB, PERFORMED, WHO
from tirec.lacdm.tabular.lab_cases import labelled

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "prevalence": (),
    "availability_only": (f"^{PERFORMED}.*$",),
    "demographics_only": WHO,
    "history_length_only": ("history_chars",),
    "all_labs": (f"^{LAB}.*$",),
}
"""What each model reads. The first four are floors: they read no result and order no test."""


@dataclass(frozen=True)
class Columns:
    """The columns of one model as arrays."""

    values: np.ndarray
    """(n, c) NaN = not observed."""
    label: np.ndarray
    split: np.ndarray


def probabilities(features: pl.DataFrame, model: str, rules: CdmTabularConfig) -> np.ndarray:
    """(n, 4) of every case, from a model fitted on the training split; rounds stop on the validation split."""
    rows = _columns(features, model)
    train, validation = rows.split == "train", rows.split == "validation"
    if not rows.values.shape[1]:
        shares = np.bincount(rows.label[train], minlength=len(CONDITIONS)) / train.sum()
        return np.tile(shares, (len(rows.label), 1))
    parameters = _parameters(rules)
    data = lgb.Dataset(rows.values[train], rows.label[train], params=parameters)
    held_out = lgb.Dataset(rows.values[validation], rows.label[validation], reference=data)
    stop = lgb.early_stopping(rules.patience, verbose=False)
    booster = lgb.train(parameters, data, rules.max_rounds, valid_sets=[held_out], callbacks=[stop])
    return np.asarray(booster.predict(rows.values, num_iteration=booster.best_iteration, num_threads=rules.threads))


def _columns(features: pl.DataFrame, model: str) -> Columns:
    chosen = features.select(pl.col(*COLUMNS[model]).cast(pl.Float64)) if COLUMNS[model] else features.select([])
    label = np.array([CONDITIONS.index(name) for name in features["condition"]])
    values = chosen.to_numpy() if chosen.width else np.empty((features.height, 0))
    return Columns(values, label, features["split"].to_numpy())


def _parameters(rules: CdmTabularConfig) -> dict[str, object]:
    """LightGBM's parameters; deterministic whatever the number of threads."""
    return {
        "objective": "multiclass",
        "num_class": len(CONDITIONS),
        "metric": "multi_logloss",
        "learning_rate": rules.tree_rate,
        "num_leaves": rules.leaves,
        "min_data_in_leaf": rules.min_leaf_rows,
        "seed": rules.seed,
        "num_threads": rules.threads,
        "deterministic": True,
        "force_row_wise": True,
        "verbosity": -1,
    }


def tree_predictions(features: pl.DataFrame, model: str, menu: Menu, rules: CdmTabularConfig) -> pl.DataFrame:
    """The shared format for every case; floors order nothing, `all_labs` every panel that was performed."""
    told = labelled(features.select(KEYS), probabilities(features, model, rules))
    panels = [test for test in menu if test.kind == "panel"] if model == "all_labs" else []
    performed = features.select(PERFORMED + test.name for test in panels).rows() if panels else []
    ordered = [[test for test, has in zip(panels, row, strict=True) if has] for row in performed]
    ordered = ordered or [[] for _ in range(features.height)]
    names = pl.Series([[test.name for test in tests] for tests in ordered], dtype=pl.List(pl.String))
    cost = pl.Series([_bill(tests, menu) for tests in ordered], dtype=pl.Float64)
    return told.with_columns(tests=names, requested=names, cost=cost, finish=pl.lit("answered"))


def _bill(tests: list[ClinicalTest], menu: Menu) -> float:
    """USD of these tests, one after the other."""
    names = [test.name for test in tests]
    return sum(menu.charge(test, names[:place]) for place, test in enumerate(tests))
