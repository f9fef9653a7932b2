"""Tables that an earlier stage wrote: opened with one clear line where they are missing, damaged or misshapen."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from tirec.errors import DataError

SPLITS = {"csn": pl.Int64(), "mrn": pl.Int64(), "split": pl.String(), "half": pl.String()}
"""Columns of splits.parquet."""


def require_columns(path: Path, columns: Iterable[str] | Mapping[str, pl.DataType]) -> None:
    """Raises DataError unless `path` is a whole Parquet file with these columns (and, where given, types)."""
    if not path.is_file():
        raise DataError(f"{path}: this table does not exist; run the stage that makes it first")
    try:
        found = pl.read_parquet_schema(path)
    except pl.exceptions.ComputeError:
        raise DataError(f"{path}: is not a whole Parquet file; remove it and make it again") from None
    for column in columns:
        if column not in found:
            raise DataError(f"{path}: column {column} is missing; make the table again")
    for column, kind in columns.items() if isinstance(columns, Mapping) else ():
        if found[column] != kind:
            raise DataError(f"{path}: column {column} is {found[column]}, not {kind}; make the table again")


def read_stored(path: Path, columns: Iterable[str] | Mapping[str, pl.DataType], only: bool = False) -> pl.DataFrame:
    """A table whose columns are checked first; `only`: these columns and no others."""
    names = list(columns)
    require_columns(path, columns)
    try:
        return pl.read_parquet(path, columns=names if only else None)
    except pl.exceptions.ComputeError:
        raise DataError(f"{path}: is damaged; remove it and make it again") from None


def read_table(
    path: Path, columns: Iterable[str], kinds: Mapping[str, type[pl.DataType]] | None = None
) -> pl.DataFrame:
    """A tab-separated table whose columns are checked; types not given in `kinds` are read off all its rows."""
    if not path.is_file():
        raise DataError(f"{path}: this table does not exist; run the stage that makes it first")
    try:
        frame = pl.read_csv(path, separator="\t", infer_schema_length=None, schema_overrides=kinds)
    except pl.exceptions.PolarsError:
        raise DataError(f"{path}: is not a whole tab-separated table; remove it and make it again") from None
    for column in columns:
        if column not in frame.columns:
            raise DataError(f"{path}: column {column} is missing; make the table again")
    return frame


def read_alike(paths: Iterable[Path], columns: Iterable[str], only: bool = False) -> pl.DataFrame:
    """Several tables of one shape, one below the other."""
    names, frames = list(columns), dict[Path, pl.DataFrame]()
    for path in paths:
        frames[path] = read_stored(path, names, only)
        first = next(iter(frames.values()))
        if frames[path].columns != first.columns:
            raise DataError(f"{path}: has other columns than {next(iter(frames)).name}; make both again")
    return pl.concat(frames.values())
