"""The HTML file: the five tables as one page that loads nothing and runs no program."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.errors import DataError
from tirec.records.small_counts import Counts
from tirec.report.audit_page import words
from tirec.report.audit_page.attention import attention
from tirec.report.audit_page.cohort import flag_lines, flows, rate_lines, split_lines
from tirec.report.audit_page.records import read_records
from tirec.report.pages import render

_FOLDER = Path(__file__).resolve().parent
COLUMNS = {
    "ingest": ("table", "check", "value"),
    "splits": ("check", "n"),
    "exclusions": ("task", "setting", "reason", "n"),
    "prevalence": ("task", "setting", "split", "n", "n_pos", "prevalence"),
    "flags": ("task", "setting", "flag", "n"),
}


@dataclass(frozen=True)
class Sources:
    """The five tables of the audit."""

    ingest: pl.DataFrame
    splits: pl.DataFrame
    exclusions: pl.DataFrame
    prevalence: pl.DataFrame
    flags: pl.DataFrame

    @classmethod
    def read(cls, folder: Path) -> "Sources":
        """Reads `{ingest,splits,exclusions,prevalence,flags}.tsv`; a missing file or column is a DataError."""
        return cls(**{name: _read(folder / f"{name}.tsv", columns) for name, columns in COLUMNS.items()})


def _read(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    if not path.is_file():
        raise DataError(f"{path}: this table of the audit does not exist; run ingest_records to audit_cohort first")
    frame = pl.read_csv(path, separator="\t", infer_schema=False)
    if absent := [column for column in columns if column not in frame.columns]:
        raise DataError(f"{path}: column {absent[0]} is missing")
    return frame.select(columns).with_columns(pl.col("^(n|n_pos)$").cast(pl.Int64), pl.col("^value$").fill_null(""))


def audit_page(sources: Sources) -> str:
    """The page; equal tables give equal bytes."""
    records = read_records(sources.ingest)
    written = Counts.of(records.data_class)
    splits, other_splits = split_lines(sources.splits, written)
    rates = rate_lines(sources.prevalence, written)
    return render(
        _FOLDER,
        words=words,
        records=records,
        attention=attention(records, splits, rates),
        splits=splits,
        other_splits=other_splits,
        flows=flows(sources.exclusions, written),
        rates=rates,
        flags=flag_lines(sources.flags, written),
        kept=lambda file: _kept(file.read, file.kept, written),
    )


def _kept(read: int, kept: int, written: Counts) -> str:
    return "all but a few" if written.small(read - kept) else f"{kept:,}"
