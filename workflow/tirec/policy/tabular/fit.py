"""Fitting one model for one task: trained on train, chosen on validation half A, calibrated on half B."""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from sklearn.metrics import average_precision_score, log_loss
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from tirec.config.models import TabularConfig
from tirec.policy.tabular import calibration
from tirec.policy.tabular.columns import restricted
from tirec.policy.tabular.learners import Settings, candidates, fitted
from tirec.policy.tabular.policy import TabularPolicy, Trial, probability
from tirec.teacher.rows import Rows, require_classes

ROLES = {"train": "train", "tune": "select", "calibrate": "threshold"}
"""The roles of the written list that hold a part's cases."""


@dataclass(frozen=True)
class Parts:
    """The rows a fit may see, each for one purpose; no patient is in two of them."""

    train: Rows
    """Training split: what an estimator is fitted on."""
    tune: Rows
    """Validation half A: chooses the settings and stops boosting."""
    calibrate: Rows
    """Validation half B: calibrates the chosen one."""


def parts(rows: Rows, half: pl.DataFrame, listed: pl.DataFrame, config: TabularConfig) -> Parts:
    """The parts among all rows: every eligible one, or only those on the written list.

    half: instance_id, half (of all instances); listed: instance_id, role.
    """
    known = rows.keys.select("instance_id", "split").join(half, on="instance_id", how="left", maintain_order="left")
    inside = {
        "train": pl.col("split") == "train",
        "tune": (pl.col("split") == "validation") & (pl.col("half") == "A"),
        "calibrate": (pl.col("split") == "validation") & (pl.col("half") == "B"),
    }
    rows, found = restricted(rows, config.columns), {}
    for name, condition in inside.items():
        asked = listed.filter(pl.col("role") == ROLES[name])["instance_id"].implode()
        chosen = condition & pl.col("instance_id").is_in(asked) if config.rows == "sampled" else condition
        found[name] = rows.where(known.select(chosen.fill_null(False)).to_series().to_numpy())
    return Parts(**found)


def fit(given: Parts, task: str, config: TabularConfig) -> TabularPolicy:
    """The model with the best settings; raises OneClassError where the training rows are of one class."""
    require_classes(given.train.label, f"{config.estimator}, {task}: training rows")
    best, trials = _search(given, config)
    raw = probability(best, given.calibrate.values)
    calibrator, how = calibration.fit(raw, given.calibrate.label, config.calibration)
    return TabularPolicy(task, given.train.features, best, calibrator, how, tuple(trials))


def _search(given: Parts, config: TabularConfig) -> tuple[Any, list[Trial]]:
    """The estimator that is best on the tuning rows (ties: the earlier settings), and what every one reached there."""
    tried = candidates(config.estimator, config.search, config.seed)
    work = (delayed(_trial)(config, settings, given.train, given.tune) for settings in tried)
    best, trials = None, list[Trial]()
    # Python threads: the libraries let go of the interpreter, share the rows, and fit what they would fit alone. One
    # setting after another is judged in order, so that only the best so far is kept.
    with threadpool_limits(1):  # of BLAS and OpenMP, so that sums do not depend on the machine
        running = Parallel(n_jobs=config.threads, backend="threading", return_as="generator")(work)
        progress = tqdm(running, total=len(tried), desc=config.estimator, mininterval=5, file=sys.stderr)
        for settings, (estimator, reached) in zip(tried, progress, strict=True):
            if best is None or _better(reached, trials):
                best = estimator
            trials.append(Trial(settings=dict(settings), reached=reached))
    return best, trials


def _better(reached: float | None, trials: list[Trial]) -> bool:
    others = [trial.reached for trial in trials if trial.reached is not None]
    return reached is not None and (not others or reached > max(others))


def _trial(config: TabularConfig, settings: Settings, train: Rows, tune: Rows) -> tuple[Any, float | None]:
    """One setting fitted, and its objective on the tuning rows."""
    estimator = fitted(config.estimator, settings, train, tune, config.seed)
    return estimator, objective(tune, probability(estimator, tune.values), config)


def objective(tune: Rows, p: np.ndarray, config: TabularConfig) -> float | None:
    """Larger is better: mean over the settings in which both classes occur; None where there is none."""
    reached = []
    for setting in tune.keys["setting"].unique(maintain_order=True):
        inside = (tune.keys["setting"] == setting).to_numpy()
        label = tune.label[inside]
        if not 0 < label.sum() < label.size:
            continue
        if config.objective == "log_loss":
            reached.append(-log_loss(label, p[inside]))
        else:
            reached.append(average_precision_score(label, p[inside]))
    return float(np.mean(reached)) if reached else None
