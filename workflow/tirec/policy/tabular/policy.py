"""A fitted tabular model: asking it, and its two files, `policy.json` and `model.joblib` beside it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import joblib
import lightgbm
import numpy as np
import sklearn
import xgboost
from threadpoolctl import threadpool_limits

from tirec.config.base import Model, validated
from tirec.config.data import DataClass
from tirec.config.models import TabularConfig
from tirec.errors import DataError, TirecError
from tirec.evidence.menu import function_of
from tirec.policy.tabular.calibration import Calibrator
from tirec.policy.tabular.columns import select
from tirec.provenance import atomic, file_hash, write_json
from tirec.teacher.rows import Rows

WEIGHTS = "model.joblib"
LIBRARIES = {
    "scikit-learn": sklearn.__version__,
    "lightgbm": lightgbm.__version__,
    "xgboost": xgboost.__version__,
}
"""Versions that a saved estimator depends on."""


class Trial(Model):
    """One setting of the search."""

    settings: dict[str, Any]
    """What was tried."""
    reached: float | None
    """Its objective on validation half A; None where no setting holds both classes."""


class TabularFile(Model):
    """`policy.json` of a tabular model."""

    kind: Literal["tabular"] = "tabular"
    """What runs it."""
    task: str
    """The task it predicts."""
    config: TabularConfig
    """How it was made (without the number of threads, on which nothing depends)."""
    weights: str = WEIGHTS
    """File of the fitted estimator, beside this one."""
    weights_hash: str
    """SHA-256 of that file; it is not opened under another."""
    features: tuple[str, ...]
    """Columns it reads, in order."""
    calibrated: str
    """How p was calibrated, or why not."""
    search: tuple[Trial, ...]
    """Every setting tried."""
    libraries: dict[str, str]
    """Versions it was fitted with."""
    data_class: DataClass
    """Class of the data it was trained on."""

    @classmethod
    def read(cls, path: Path) -> "TabularFile":
        """Reads a policy file; raises DataError where there is none or it is broken."""
        try:
            return validated(cls, json.loads(path.read_text(encoding="utf-8")))
        except OSError:
            raise DataError(f"{path}: this model does not exist; run fit_tabular for it first") from None
        except (ValueError, TirecError):
            raise DataError(f"{path}: is not the policy.json of a tabular model; remove it and fit again") from None


@dataclass(frozen=True)
class TabularPolicy:
    """One model for one task, all settings together."""

    task: str
    features: tuple[str, ...]
    """Columns of its matrix, in order."""
    estimator: Any
    """The fitted scikit-learn estimator or pipeline."""
    calibrator: Calibrator | None
    calibrated: str
    """How p was calibrated, or why not."""
    search: tuple[Trial, ...]

    def predict(self, rows: Rows) -> np.ndarray:
        """(rows,) calibrated p; raises DataError where a column of the fit is missing (missing values are welcome)."""
        values = select(rows, self.features).values
        if not len(values):
            return np.empty(0)
        with threadpool_limits(1):  # so that sums do not depend on the machine
            raw = probability(self.estimator, values)
        return self.calibrator(raw) if self.calibrator else raw

    def save(self, path: Path, config: TabularConfig, data_class: DataClass) -> None:
        """Writes `policy.json` at `path`, after the estimator beside it."""
        weights = path.with_name(WEIGHTS)
        with atomic(weights) as temporary:
            joblib.dump((self.estimator, self.calibrator), temporary)
        file = TabularFile(
            task=self.task,
            config=config.model_copy(update={"threads": 1}),
            weights_hash=file_hash(weights),
            features=self.features,
            calibrated=self.calibrated,
            search=self.search,
            libraries=LIBRARIES,
            data_class=data_class,
        )
        write_json(file.model_dump(mode="json"), path)

    @classmethod
    def load(cls, path: Path) -> "TabularPolicy":
        """Reads a saved model; raises DataError where a file is missing, changed, or made by other versions."""
        file = TabularFile.read(path)
        weights = path.with_name(file.weights)
        if not weights.is_file() or file_hash(weights) != file.weights_hash:
            raise DataError(f"{weights}: is missing or not the file that {path.name} names; remove both and fit again")
        if file.libraries != LIBRARIES:
            changed = next(name for name in LIBRARIES if file.libraries.get(name) != LIBRARIES[name])
            made = file.libraries.get(changed, "unknown")
            raise DataError(f"{path}: fitted with {changed} {made}, not {LIBRARIES[changed]}; remove it and fit again")
        estimator, calibrator = joblib.load(weights)
        return cls(file.task, file.features, estimator, calibrator, file.calibrated, file.search)


def probability(estimator: Any, values: np.ndarray) -> np.ndarray:
    """(rows,) the estimator's own p of the outcome."""
    return np.asarray(estimator.predict_proba(values)[:, 1], dtype=float)


def hide(rows: Rows, functions: Sequence[str], hidden: np.ndarray) -> Rows:
    """The rows with the columns of some functions missing, as if those had never been asked.

    hidden: (functions,) for all rows alike, or (rows, functions). Columns of functions that are not named stay.
    """
    owner = [function_of(name) for name in rows.features]
    of_column = np.broadcast_to(hidden, (len(rows.values), len(functions)))
    values = rows.values.copy()
    for place, function in enumerate(functions):
        columns = np.flatnonzero([name == function for name in owner])
        values[np.ix_(of_column[:, place], columns)] = np.nan
    return replace(rows, values=values)
