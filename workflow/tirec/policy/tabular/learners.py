"""The estimators and the settings that a search may give them; the first value of each is the default.

LightGBM, XGBoost and the forest read missing values themselves; logistic regression and the perceptron get medians with
an indicator per column that was ever missing, and standardised columns. Every fit uses one thread, so that its result
does not depend on how many there are; settings are fitted side by side instead.
"""

import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tirec.config.models import Estimator
from tirec.policy.tabular.scores import SCORES, ScoreClassifier
from tirec.teacher.rows import SETTING, Rows

Settings = Mapping[str, Any]
ROUNDS = 2000
"""Most boosting rounds; the tuning rows stop them earlier."""
PATIENCE = 50
"""Rounds without a better log loss on the tuning rows."""
UNTUNED_ROUNDS = 100
"""Boosting rounds where the tuning rows are of one class and can stop nothing."""

SPACES: dict[str, dict[str, Sequence[Any]]] = {
    "logistic": {"C": (0.01, 1e-4, 1e-3, 0.1, 1.0)},
    "random_forest": {"min_samples_leaf": (20, 5, 10, 50), "max_features": ("sqrt", 0.1, 0.3)},
    "lightgbm": {
        "num_leaves": (31, 7, 15, 63),
        "learning_rate": (0.05, 0.02, 0.1),
        "min_child_samples": (50, 20, 200),
        "colsample_bytree": (0.5, 0.25, 1.0),
        "reg_lambda": (1.0, 0.0, 10.0),
    },
    "xgboost": {
        "max_depth": (5, 3, 4, 7),
        "learning_rate": (0.05, 0.02, 0.1),
        "min_child_weight": (5, 1, 20),
        "colsample_bytree": (0.5, 0.25, 1.0),
        "reg_lambda": (1.0, 0.0, 10.0),
    },
    "mlp": {
        "hidden_layer_sizes": ((64,), (32,), (128,), (64, 32)),
        "alpha": (1e-2, 1e-4, 1e-3, 0.1),
        "learning_rate_init": (1e-3, 3e-4),
        "max_iter": (10, 5, 20, 40),
    },
}


def candidates(estimator: Estimator, number: int, seed: int) -> list[Settings]:
    """The default settings, then others without repetition in an order drawn by the seed (if any can be set)."""
    space = SPACES.get(estimator, {})
    every = [dict(zip(space, values, strict=True)) for values in itertools.product(*space.values())]
    others = np.random.default_rng([seed, 11]).permutation(len(every) - 1) + 1
    return [every[place] for place in (0, *others[: number - 1])]


def fitted(estimator: Estimator, settings: Settings, train: Rows, tune: Rows, seed: int) -> Any:
    """An estimator fitted on the training rows; the tuning rows only stop boosting."""
    if estimator in SCORES:
        return ScoreClassifier(estimator, train.features).fit(train.values, train.label)
    stops = 0 < tune.label.sum() < tune.label.size
    return _FIT[estimator](settings, train, tune if stops else None, seed)


def _fit_logistic(settings: Settings, train: Rows, _: Rows | None, seed: int) -> Pipeline:
    return _standardised(LogisticRegression(max_iter=500, random_state=seed, **settings), train)


def _fit_forest(settings: Settings, train: Rows, _: Rows | None, seed: int) -> RandomForestClassifier:
    forest = RandomForestClassifier(n_estimators=200, random_state=seed, n_jobs=1, **settings)
    return forest.fit(train.values, train.label)


def _fit_lightgbm(settings: Settings, train: Rows, tune: Rows | None, seed: int) -> lgb.LGBMClassifier:
    model = lgb.LGBMClassifier(
        n_estimators=ROUNDS if tune else UNTUNED_ROUNDS,
        random_state=seed,
        n_jobs=1,
        deterministic=True,
        force_row_wise=True,
        verbosity=-1,
        **settings,
    )
    if tune is None:
        return model.fit(train.values, train.label)
    return model.fit(
        train.values,
        train.label,
        eval_X=tune.values,
        eval_y=tune.label,
        eval_metric="binary_logloss",
        callbacks=[lgb.early_stopping(PATIENCE, verbose=False)],
    )


def _fit_xgboost(settings: Settings, train: Rows, tune: Rows | None, seed: int) -> xgb.XGBClassifier:
    model = xgb.XGBClassifier(
        n_estimators=ROUNDS if tune else UNTUNED_ROUNDS,
        early_stopping_rounds=PATIENCE if tune else None,
        eval_metric="logloss",
        tree_method="hist",
        random_state=seed,
        n_jobs=1,
        **settings,
    )
    watched = [(tune.values, tune.label)] if tune else None
    return model.fit(train.values, train.label, eval_set=watched, verbose=False)


def _fit_mlp(settings: Settings, train: Rows, _: Rows | None, seed: int) -> Pipeline:
    with warnings.catch_warnings():
        # The number of passes is one of the settings: that they did not converge is what was asked for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _standardised(MLPClassifier(batch_size=256, random_state=seed, **settings), train)


def _fit_prevalence(settings: Settings, train: Rows, _: Rows | None, seed: int) -> Pipeline:
    """A tree that sees the setting alone: one leaf per setting."""
    setting = ColumnTransformer([("setting", "passthrough", [train.features.index(SETTING)])])
    return make_pipeline(setting, DecisionTreeClassifier(random_state=seed, **settings)).fit(train.values, train.label)


def _standardised(classifier: Any, train: Rows) -> Pipeline:
    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return make_pipeline(filled, StandardScaler(), classifier).fit(train.values, train.label)


_FIT: dict[str, Callable[[Settings, Rows, Rows | None, int], Any]] = {
    "logistic": _fit_logistic,
    "random_forest": _fit_forest,
    "lightgbm": _fit_lightgbm,
    "xgboost": _fit_xgboost,
    "mlp": _fit_mlp,
    "prevalence": _fit_prevalence,
}
