"""Which admission belongs to which split: the published deal, or one that keeps a patient together."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedGroupKFold, train_test_split

from tirec.config.lacdm import CONDITIONS, LacdmConfig
from tirec.errors import ConfigError, DataError

OFFICIAL: Mapping[str, int] = dict(zip(CONDITIONS, (957, 648, 257, 538), strict=True))
"""Admissions per condition of version 1.1."""
PUBLISHED_SEED = 269
PUBLISHED_SIZES = {"train": 1_920, "validation": 240, "test": 240}
PUBLISHED_TEST = dict(zip(CONDITIONS, (96, 65, 25, 54), strict=True))
"""Test admissions per condition of the published split."""


def deal(labels: pl.DataFrame, people: pl.DataFrame, config: LacdmConfig, *, real: bool = False) -> pl.DataFrame:
    """case_id (place in the published order), hadm_id, patient, condition, age, sex and split of every admission.

    `patient` is the subject where MIMIC-IV is at hand, else the admission itself. Raises DataError where `real` data
    dealt with the published seed do not give the published split.
    """
    known = labels.join(people, on="hadm_id", how="left").sort("position").rename({"position": "case_id"})
    cases = known.with_columns(patient=pl.coalesce("subject_id", "hadm_id"))
    if config.switches.split == "admission":
        split = _by_admission(cases["condition"].to_numpy(), config.split_seed)
        if real and config.split_seed == PUBLISHED_SEED:
            _check_published(cases.with_columns(split=split))
    else:
        split = _by_patient(cases, config.split_seed)
    return cases.with_columns(split=split).select(
        "case_id", "hadm_id", "patient", "condition", pl.col("age").cast(pl.Int32), "sex", "split"
    )


def _by_admission(condition: np.ndarray, seed: int) -> pl.Series:
    """The published deal: a stratified fifth set aside and halved, both with one seed."""
    every = np.arange(len(condition))
    train, rest = train_test_split(every, test_size=0.2, stratify=condition, random_state=seed)
    validation, test = train_test_split(rest, test_size=0.5, stratify=condition[rest], random_state=seed)
    return _named(len(condition), {"train": train, "validation": validation, "test": test})


def _by_patient(cases: pl.DataFrame, seed: int) -> pl.Series:
    """Tenths of patients with the conditions in proportion: one for test, one for validation, eight for training."""
    if cases["subject_id"].null_count():
        raise ConfigError(
            "lacdm.switches.split: patient needs MIMIC-IV's patient numbers; set lacdm.mimic_iv, or choose admission"
        )
    folds = StratifiedGroupKFold(10, shuffle=True, random_state=seed)
    parts = folds.split(np.zeros(cases.height), cases["condition"].to_numpy(), cases["patient"].to_numpy())
    tenths = [held_out for _, held_out in parts]
    return _named(cases.height, {"test": tenths[0], "validation": tenths[1]})


def _named(cases: int, members: Mapping[str, np.ndarray]) -> pl.Series:
    split = np.full(cases, "train", dtype=object)
    for name, places in members.items():
        split[places] = name
    return pl.Series("split", split.tolist(), dtype=pl.String)


def _check_published(cases: pl.DataFrame) -> None:
    """Stops where the published split does not come out, and says how to mean another one."""
    counts = {name: cases.filter(pl.col("condition") == name).height for name in CONDITIONS}
    if counts != dict(OFFICIAL):
        raise DataError(
            f"{counts}: not the admissions of MIMIC-CDM 1.1, so that the published split cannot come out; "
            "set lacdm.split_seed to another number to mean a split of your own"
        )
    sizes = dict(cases.group_by("split").len().iter_rows())
    test = dict(cases.filter(pl.col("split") == "test").group_by("condition").len().iter_rows())
    if sizes != PUBLISHED_SIZES or test != PUBLISHED_TEST:
        raise DataError(f"the split is not the published one: {sizes}, test {test}; is this another scikit-learn?")
