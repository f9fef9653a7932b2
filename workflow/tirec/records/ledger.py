"""What became of every row of a file: read, kept, or dropped for one named reason."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from tirec.errors import DataError


@dataclass
class Fault:
    """The first row of a file that could not be read: where it stands and why, never what it says."""

    row: int
    column: str
    why: str


@dataclass
class Ledger:
    """The count of one file's rows; `read` always equals `kept` plus all of `bad` and `dropped`."""

    file: Path
    read: int = 0
    kept: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    first: Fault | None = None
    extra_columns: tuple[str, ...] = ()

    def set_aside(self, row: int, column: str, why: str, rows: int = 1) -> None:
        """Counts rows that could not be read, the first of them at `row`."""
        self.bad[f"{column} {why}" if column else why] += rows
        if self.first is None or row < self.first.row:
            self.first = Fault(row, column, why)

    def drop(self, reason: str, rows: int) -> None:
        """Counts readable rows that a rule leaves out."""
        if rows:
            self.dropped[reason] += rows

    def judge(self, max_bad_share: float, key: str = "data.max_bad_share") -> None:
        """Stops where the file is empty, nothing is left of it, or more of it than `key` allows could not be read."""
        if self.read == 0:
            raise DataError(f"{self.file}: has a header but no rows")
        bad = self.bad.total()
        if self.first is not None and bad > max_bad_share * self.read:
            place = f"column {self.first.column}, " if self.first.column else ""
            raise DataError(
                f"{self.file}: {place}row {self.first.row}: {self.first.why}; {bad} of {self.read} rows "
                f"cannot be read, more than {key} = {max_bad_share:g} allows"
            )
        if self.kept == 0:
            raise DataError(f"{self.file}: none of its {self.read} rows can be used ({self._main_reason()})")

    def _main_reason(self) -> str:
        reasons = self.bad + self.dropped
        return reasons.most_common(1)[0][0] if reasons else "no reason recorded"

    def rows(self) -> list[tuple[str, int]]:
        """(check, count) in a fixed order for the audit."""
        counted = [("rows read", self.read), ("rows kept", self.kept)]
        counted += [(f"set aside: {reason}", n) for reason, n in sorted(self.bad.items())]
        return counted + [(f"dropped: {reason}", n) for reason, n in sorted(self.dropped.items())]


def split_by_reason(frame: pl.DataFrame, reasons: dict[str, pl.Expr], ledger: Ledger) -> pl.DataFrame:
    """The rows that meet no reason; the others are counted under the first reason that they meet."""
    reason = pl.coalesce(pl.when(meets).then(pl.lit(name)) for name, meets in reasons.items())
    judged = frame.with_columns(reason.alias("_reason"))
    for name, rows in judged["_reason"].drop_nulls().value_counts().iter_rows():
        ledger.drop(name, rows)
    return judged.filter(pl.col("_reason").is_null()).drop("_reason")
