"""The rows a teacher learns from: instances of one task, their features, their patients."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tirec.errors import DataError
from tirec.records.stored import read_alike, read_stored

SETTING = "context__setting"
KEYS = ("instance_id", "mrn", "split", "task", "setting", "label")


class TeacherError(DataError):
    """Rows that a teacher cannot be fitted on."""


class OneClassError(TeacherError):
    """Training rows of one class, from which nothing can be learned."""


@dataclass(frozen=True)
class Rows:
    """Instances of one task in `instance_id` order with their feature matrix."""

    keys: pl.DataFrame
    """instance_id, mrn, split, task, setting, label; one row per instance."""
    values: np.ndarray
    """(instances, features) float32, NaN = not observed."""
    features: tuple[str, ...]
    """Column names of `values`, in order."""

    @property
    def label(self) -> np.ndarray:
        """(instances,) 0 or 1."""
        return self.keys["label"].to_numpy()

    @property
    def patient(self) -> np.ndarray:
        """(instances,) MRN."""
        return self.keys["mrn"].to_numpy()

    def where(self, mask: np.ndarray) -> "Rows":
        """The rows where `mask` is true."""
        return Rows(self.keys.filter(pl.Series(mask)), self.values[mask], self.features)

    def of(self, instances: pl.Series) -> "Rows":
        """The rows of these instance ids."""
        return self.where(self.keys["instance_id"].is_in(instances.unique().implode()).to_numpy())

    def of_split(self, *splits: str) -> "Rows":
        """The rows of the named splits."""
        return self.where(self.keys["split"].is_in(splits).to_numpy())


def read_rows(instances: Sequence[Path], features: Path, task: str) -> Rows:
    """One task's rows from its instance files (one per setting) and its features file."""
    frame = read_alike(instances, (*KEYS, "evidence_id"), only=True)
    if not (frame["task"] == task).all():
        raise TeacherError(f"the instances are not all of the task {task}")
    return join_rows(frame, read_stored(features, ["evidence_id"]))


def join_rows(instances: pl.DataFrame, features: pl.DataFrame) -> Rows:
    """Every instance beside the features of its evidence, with the setting as one more feature."""
    instances = instances.sort("instance_id")
    names = (*(name for name in features.columns if name != "evidence_id"), SETTING)
    joined = instances.join(features, on="evidence_id", how="left", maintain_order="left")
    _require_features(instances, features)
    joined = joined.with_columns(pl.col("setting").str.head(-1).cast(pl.Float32).alias(SETTING))
    values = joined.select(pl.col(names).cast(pl.Float32)).to_numpy().astype(np.float32, order="C")
    rows = Rows(instances.select(KEYS), values, names)
    _require_finite(rows)
    return rows


def _require_features(instances: pl.DataFrame, features: pl.DataFrame) -> None:
    absent = instances.join(features, on="evidence_id", how="anti").height
    if absent:
        raise TeacherError(f"{absent} instances have no features: build the features from the same instances")
    if features["evidence_id"].is_duplicated().any():
        raise TeacherError("features have two rows for one evidence_id")


def _require_finite(rows: Rows) -> None:
    infinite = np.isinf(rows.values).any(axis=0)
    if infinite.any():
        names = ", ".join(name for name, bad in zip(rows.features, infinite, strict=True) if bad)
        raise TeacherError(f"features with infinite values: {names}")
    if not rows.keys["label"].is_in([0, 1]).all():
        raise TeacherError("labels must be 0 or 1")


def require_classes(label: np.ndarray, what: str) -> None:
    """Raises unless both classes are among the labels."""
    positives = int(label.sum())
    if not 0 < positives < label.size:
        raise OneClassError(f"{what}: one class only ({positives} positive of {label.size}); nothing can be learned")
