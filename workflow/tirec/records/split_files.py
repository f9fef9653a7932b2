"""The split files that come with the records: one CSN per line, no header."""

import gzip
from pathlib import Path
from typing import Literal

import polars as pl

from tirec.errors import DataError
from tirec.records.folder import data_folder, source_file
from tirec.records.stream import cause

ENDINGS = {"train": "train", "val": "validation", "test": "test"}
"""Ending of a split file's name and the name of its split."""

Kind = Literal["chrono", "random"]


def split_paths(folder: Path, kind: Kind = "chrono") -> list[Path]:
    """The three files of a split."""
    return [source_file(folder, f"split_{kind}_{ending}") for ending in ENDINGS]


def read_split_files(root: Path, kind: Kind = "chrono") -> pl.DataFrame:
    """Columns csn, split (train | validation | test), sorted by csn; a CSN in two splits is a DataError."""
    paths = split_paths(data_folder(root), kind)
    lines = pl.concat(_read(path, split) for path, split in zip(paths, ENDINGS.values(), strict=True))
    found = lines.unique(["csn", "split"], keep="first", maintain_order=True).sort("csn", maintain_order=True)
    twice = found.filter(pl.col("csn").is_duplicated())
    if not twice.is_empty():
        file = dict(zip(ENDINGS.values(), paths, strict=True))
        first, second = twice.head(2).iter_rows(named=True)
        raise DataError(
            f"{file[second['split']]}: row {second['row']}: this CSN is in {file[first['split']].name} too; "
            f"{twice['csn'].n_unique()} CSNs are in two splits"
        )
    return found.select("csn", "split")


def _read(path: Path, split: str) -> pl.DataFrame:
    """One row per line; also the first line, which real readers have lost to a header."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = content.decode("utf-8-sig").splitlines()
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: cannot be read ({cause(error)})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not UTF-8 text") from error
    frame = pl.DataFrame({"text": [line.strip() for line in lines]}, schema={"text": pl.String})
    frame = frame.with_row_index("row", 1).filter(pl.col("text") != "")
    if frame.is_empty():
        raise DataError(f"{path}: is empty")
    frame = frame.select("row", csn=pl.col("text").cast(pl.Int64, strict=False), split=pl.lit(split))
    wrong = frame.filter(pl.col("csn").is_null())
    if not wrong.is_empty():
        raise DataError(f"{path}: row {wrong['row'][0]}: is not one CSN (these files have no header)")
    return frame
