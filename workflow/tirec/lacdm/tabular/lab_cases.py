"""The cases as arrays: laboratory values, which panel reports which, and which panels a case has."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.errors import DataError
from tirec.lacdm.menu import ClinicalTest, Menu
from tirec.lacdm.tabular.features import FIRST, KEYS, LAB, PERFORMED, lab_name
from tirec.lacdm.texts.laboratory import panel_items

Floats = np.ndarray
Flags = np.ndarray


@dataclass(frozen=True)
class LabCases:
    """n cases with d laboratory columns and P panels."""

    keys: pl.DataFrame
    """case_id, hadm_id, patient, split, condition."""
    values: Floats
    """(n, d) standardised on the training split; NaN = not observed."""
    label: np.ndarray
    """(n,) index of the condition."""
    panels: tuple[ClinicalTest, ...]
    member: Flags
    """(P, d) whether a panel reports a column."""
    available: Flags
    """(n, P) whether a case has the panel."""
    first: Floats
    """(n, P) first source row of the panel, by which panels stand in the file; NaN without it."""

    def of(self, split: str) -> "LabCases":
        """The cases of one split."""
        inside = (self.keys["split"] == split).to_numpy()
        return LabCases(
            self.keys.filter(pl.Series(inside)),
            self.values[inside],
            self.label[inside],
            self.panels,
            self.member,
            self.available[inside],
            self.first[inside],
        )

    def known(self, rows: np.ndarray, seen: Flags) -> Flags:
        """(m, d) what is known of the cases `rows` (m,) once the panels `seen` (m, P) have been ordered."""
        reported = (seen & self.available[rows]).astype(np.float32) @ self.member.astype(np.float32) > 0
        return np.asarray(reported & ~np.isnan(self.values[rows]))


def lab_cases(features: pl.DataFrame, items: pl.DataFrame, menu: Menu) -> LabCases:
    """The arrays of a table of features; raises DataError where it has no laboratory column."""
    columns = [name for name in features.columns if name.startswith(LAB)]
    if not columns:
        raise DataError("no laboratory column: lower lacdm.tabular.min_share, or take more training cases")
    panels = tuple(test for test in menu if test.kind == "panel")
    values = features.select(pl.col(columns).cast(pl.Float32)).to_numpy()
    train = values[(features["split"] == "train").to_numpy()]
    reported = [{lab_name(item) for item in panel_items(test, items)} for test in panels]
    member = [[name in names for name in columns] for names in reported]
    return LabCases(
        keys=features.select(KEYS),
        values=_standardised(values, train),
        label=np.array([CONDITIONS.index(name) for name in features["condition"]]),
        panels=panels,
        member=np.array(member, dtype=bool),
        available=features.select(PERFORMED + test.name for test in panels).to_numpy().astype(bool),
        first=features.select(pl.col(FIRST + test.name).cast(pl.Float64) for test in panels).to_numpy(),
    )


def _standardised(values: Floats, train: Floats) -> Floats:
    """Ranks would lose what a value says by its size: the middle and the spread are robust instead."""
    middle = np.nanmedian(train, axis=0)
    low, high = np.nanquantile(train, [0.1, 0.9], axis=0)
    spread = np.where(high - low > 0, high - low, 1.0)
    return np.clip((values - middle) / spread, -4.0, 4.0).astype(np.float32)


def labelled(keys: pl.DataFrame, p: np.ndarray) -> pl.DataFrame:
    """Keys with probabilities and the most probable condition."""
    named = [CONDITIONS[place] for place in p.argmax(1)]
    columns = {f"p__{name}": p[:, place].astype(float) for place, name in enumerate(CONDITIONS)}
    return keys.with_columns(
        predicted=pl.Series(named, dtype=pl.String), **{k: pl.Series(v) for k, v in columns.items()}
    )
