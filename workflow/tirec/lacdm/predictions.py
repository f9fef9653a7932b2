"""Predictions in the one format that agents and tabular models of LA-CDM share: one row per case."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.errors import DataError
from tirec.provenance import write_parquet

P = "p__"
PROBABILITIES = tuple(P + name for name in CONDITIONS)
PREDICTIONS: Mapping[str, pl.DataType] = {
    "case_id": pl.Int64(),
    "hadm_id": pl.Int64(),
    "patient": pl.Int64(),
    "split": pl.String(),
    "condition": pl.String(),
    "predicted": pl.String(),
    **dict.fromkeys(PROBABILITIES, pl.Float64()),
    "tests": pl.List(pl.String()),
    "requested": pl.List(pl.String()),
    "cost": pl.Float64(),
    "finish": pl.String(),
}
"""`condition` is the label; `predicted` null = no diagnosis; probabilities null where a model states none; `tests` =
results given, in order; `requested` = every known test asked for, those not performed among them; `cost` in USD;
`finish` = answered (a diagnosis was given), invalid (a turn could not be read), turns or length (no more room)."""


def write_predictions(frame: pl.DataFrame, path: Path) -> None:
    """Writes predictions by case_id; raises DataError where one names no condition."""
    unknown = frame.filter(pl.col("predicted").is_not_null() & ~pl.col("predicted").is_in(CONDITIONS))
    if unknown.height:
        raise DataError(f"{path}: case {unknown['case_id'][0]}: {unknown['predicted'][0]} is no condition")
    write_parquet(frame.select(list(PREDICTIONS)).cast(pl.Schema(PREDICTIONS)).sort("case_id"), path)


def read_predictions(path: Path) -> pl.DataFrame:
    """Predictions as written; raises DataError where the file is missing or lacks a column."""
    try:
        frame = pl.read_parquet(path)
    except FileNotFoundError:
        raise DataError(f"{path}: no such predictions; run the rule of this model first") from None
    if absent := [name for name in PREDICTIONS if name not in frame.columns]:
        raise DataError(f"{path}: column {absent[0]} is missing; is this the file of another system?")
    return frame.select(list(PREDICTIONS))
