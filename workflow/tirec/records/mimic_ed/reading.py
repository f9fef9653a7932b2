"""The rows of a MIMIC-IV-ED file beside the stays they belong to."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from tirec.records.columns import TableSpec
from tirec.records.ledger import Ledger, split_by_reason
from tirec.records.reading import blanks, readable

Notes = list[tuple[str, str, int]]
"""table, what was counted, how many."""


@dataclass
class Source:
    """The files of one folder while they are read."""

    ledgers: dict[str, Ledger]
    max_bad_share: float
    notes: Notes = field(default_factory=list)
    """What is said of the rows beyond being kept or dropped."""

    def note(self, table: str, what: str, rows: int) -> None:
        """Counts something that a reader of the audit should know."""
        self.notes.append((table, what, rows))

    def batches(self, spec: TableSpec) -> Iterator[pl.DataFrame]:
        """The readable rows of a file whose required fields are there."""
        ledger = self.ledgers[spec.name]
        yield from (split_by_reason(frame, blanks(spec), ledger) for frame in readable(spec, ledger))

    def rows(self, spec: TableSpec) -> pl.DataFrame:
        """All readable rows of a file; equal rows are one row."""
        parts = list(self.batches(spec))
        frame = pl.concat(parts) if parts else spec.empty()
        single = frame.unique(pl.exclude("row"), keep="first", maintain_order=True)
        self.ledgers[spec.name].drop("duplicate", frame.height - single.height)
        return single

    def of_stays(self, spec: TableSpec, stays: pl.DataFrame) -> pl.DataFrame:
        """The rows of known stays with `arrival` and `departure` (seconds since 1970)."""
        owned = self.rows(spec).join(stays, on=["csn", "mrn"], how="left", maintain_order="left")
        unknown = {"unknown stay_id of this subject_id": pl.col("arrival").is_null()}
        return split_by_reason(owned, unknown, self.ledgers[spec.name])

    def keep(self, spec: TableSpec, rows: int) -> None:
        """Closes the count of a file; stops where too many of its rows could not be read or none is left."""
        ledger = self.ledgers[spec.name]
        ledger.kept = rows
        ledger.judge(self.max_bad_share)
