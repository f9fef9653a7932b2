"""Rows of the audit: a share or a number per condition and over all."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tirec.config.lacdm import CONDITIONS

ALL = "all"
COLUMNS = {
    "section": pl.String(),
    "check": pl.String(),
    "group": pl.String(),
    "n": pl.Int64(),
    "of": pl.Int64(),
    "value": pl.Float64(),
}
"""`group` = a condition or `all`; `n` of `of` cases where a row counts cases; `value` = the share, or a number."""
Row = tuple[str, str, str, int | None, int | None, float | None]


@dataclass(frozen=True)
class Counter:
    """Counts cases of one section by condition; `labels` holds hadm_id and condition of every case."""

    section: str
    labels: pl.DataFrame

    def cases(self, check: str, hadm_ids: pl.Series, *, overall: bool = True) -> Iterator[Row]:
        """How many cases of each condition are among these admissions."""
        met = self.labels.with_columns(met=pl.col("hadm_id").is_in(hadm_ids.unique().implode()))
        for group, n, of in _by_group(met, pl.col("met").sum(), overall):
            yield self.section, check, group, n, of, n / of if of else None

    def median(self, check: str, numbers: pl.DataFrame) -> Iterator[Row]:
        """The median of `value` by condition; admissions without a row of `numbers` (hadm_id, value) count 0."""
        filled = self.labels.join(numbers, on="hadm_id", how="left").with_columns(pl.col("value").fill_null(0.0))
        for group, value, of in _by_group(filled, pl.col("value").median(), True):
            yield self.section, check, group, None, of, None if value is None else float(value)

    def number(self, check: str, value: float) -> Row:
        """One number that counts no patients."""
        return self.section, check, ALL, None, None, float(value)

    def share(self, check: str, n: int, of: int) -> Row:
        """A share of rows, not of cases."""
        return self.section, check, ALL, n, of, n / of if of else None


def _by_group(frame: pl.DataFrame, wanted: pl.Expr, overall: bool) -> Iterator[tuple[str, int, int]]:
    for condition in CONDITIONS:
        of = frame.filter(pl.col("condition") == condition)
        yield condition, of.select(wanted).item(), of.height
    if overall:
        yield ALL, frame.select(wanted).item(), frame.height


def table(rows: Iterator[Row]) -> pl.DataFrame:
    """The rows as the table that is written."""
    return pl.DataFrame(list(rows), schema=COLUMNS, orient="row")
