"""The split files that come with the records: one CSN per line, no header."""

from pathlib import Path
from typing import Literal

import polars as pl

from tirec.errors import DataError
from tirec.records.folder import data_folder, source_file

ENDINGS = {"train": "train", "val": "validation", "test": "test"}
"""Ending of a split file's name and the name of its split."""

Kind = Literal["chrono", "random"]


def split_paths(folder: Path, kind: Kind = "chrono") -> list[Path]:
    """The three files of a split."""
    return [source_file(folder, f"split_{kind}_{ending}") for ending in ENDINGS]


def read_split_files(root: Path, kind: Kind = "chrono") -> pl.DataFrame:
    """Columns csn, split (train | validation | test), sorted by csn; a CSN in two splits is a DataError."""
    paths = split_paths(data_folder(root), kind)
    frames = [_read(path, split) for path, split in zip(paths, ENDINGS.values(), strict=True)]
    found = pl.concat(frames).unique(["csn", "split"]).sort("csn", "split")
    twice = found.filter(pl.col("csn").is_duplicated())
    if not twice.is_empty():
        places = {split: path.name for path, split in zip(paths, ENDINGS.values(), strict=True)}
        first, second = twice["split"].head(2)
        row = _row_of(frames, int(twice["csn"][0]), first)
        raise DataError(
            f"{paths[0].parent / places[first]}: row {row}: this CSN is in {places[second]} too; "
            f"{twice['csn'].n_unique()} CSNs are in two splits"
        )
    return found


def _read(path: Path, split: str) -> pl.DataFrame:
    """Rows are lines that are not blank; also the first, which real readers have lost to a header."""
    try:
        lines = pl.read_csv(path, has_header=False, new_columns=["text"], infer_schema=False, raise_if_empty=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{path}: cannot be read as one CSN per line ({type(error).__name__})") from error
    if lines.is_empty():
        raise DataError(f"{path}: is empty")
    if lines.width > 1:
        raise DataError(f"{path}: has {lines.width} columns where one CSN per line is expected")
    frame = lines.select(csn=pl.col("text").str.strip_chars().cast(pl.Int64, strict=False), split=pl.lit(split))
    if frame["csn"].null_count():
        row = int(frame["csn"].is_null().arg_true()[0]) + 1
        raise DataError(f"{path}: row {row}: is not a CSN (these files have no header)")
    return frame


def _row_of(frames: list[pl.DataFrame], csn: int, split: str) -> int:
    frame = next(frame for frame in frames if frame["split"][0] == split)
    return int((frame["csn"] == csn).arg_true()[0]) + 1
