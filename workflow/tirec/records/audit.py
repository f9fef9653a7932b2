"""What the records hold, counted once after reading: `audit/ingest.tsv`, one row per table and check."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import polars as pl

from tirec.config.data import DataClass
from tirec.records.audit_checks import CHECKS, Check
from tirec.records.columns import Column, TableSpec
from tirec.records.ledger import Ledger
from tirec.records.schema import MEASURES, SOURCES, SPECS, Tables
from tirec.records.small_counts import SMALL, Counts
from tirec.records.vitals import valid_row

EXPECTED = {"visits": 118_385, "patients": 70_545}
"""What MC-MED 1.0 is said to hold."""
QUANTILES = (0.01, 0.5, 0.99)

Row = tuple[str, str, str]
"""table, check, value."""


@dataclass(frozen=True)
class Auditor:
    """Counts what the tables hold, with small cells hidden where the data are credentialed."""

    tables: Tables
    data_class: DataClass

    def cell(self, n: int, owners: int) -> str:
        """A count as written; `owners` = the visits or patients behind it."""
        return f"<{SMALL}" if Counts.of(self.data_class).small(owners) else str(n)

    def label(self, word: str, owners: int, column: Column) -> str:
        """A vocabulary value as written; a rare, unknown one with digits may be an id that slipped columns."""
        rare = self.data_class == "credentialed" and owners < SMALL and word not in (column.known or ())
        return "(a rare value with digits)" if rare and any(map(str.isdigit, word)) else " ".join(word.split())

    def spread(self, points: list[float | None], owners: int) -> str:
        """`min | 1 % | median | 99 % | max` as written; the extremes of credentialed data are single patients."""
        if points[0] is None:
            return "no value"
        if self.data_class != "credentialed":
            return " | ".join(f"{point:g}" for point in points if point is not None)
        if owners < SMALL:
            return f"<{SMALL} patients"
        return " | ".join(["-", *(f"{point:g}" for point in points[1:-1] if point is not None), "-"])

    def contents(self, spec: TableSpec) -> Iterator[tuple[str, str]]:
        """Everything that is counted in one table."""
        for check in CHECKS[spec.name]:
            yield from self.share(check)
        for column in spec.columns:
            if column.vocabulary:
                yield from self.vocabulary(spec, column)
        if spec.name == "numerics":
            yield from self.measures()
        yield from self.missing(spec)
        yield from self.ranges(spec)

    def people(self, expected: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Visits and patients, beside the number that the data set is said to hold where it is known, and the years."""
        year = pl.from_epoch("arrival_abs_s", time_unit="s").dt.year()
        counts = {"visits": pl.len(), "patients": pl.col("mrn").n_unique(), "first": year.min(), "last": year.max()}
        found = self.tables.visits.select(**counts).collect()
        for name in ("visits", "patients"):
            yield name, str(found[name][0]) + (f" (MC-MED 1.0: {expected[name]})" if name in expected else "")
        yield "years of arrival", f"{found['first'][0]}-{found['last'][0]}"

    def share(self, check: Check) -> Iterator[tuple[str, str]]:
        """One counted condition, as `n of m`."""
        frame = check.frame(self.tables).select(
            met=check.condition.fill_null(False).sum(),
            owners=pl.col(check.owner).filter(check.condition.fill_null(False)).n_unique(),
            rows=pl.len(),
        )
        met, owners, rows = frame.collect().row(0)
        yield check.name, f"{self.cell(met, owners)} of {rows}"

    def vocabulary(self, spec: TableSpec, column: Column) -> Iterator[tuple[str, str]]:
        """Every value of a column with its rows, most frequent first, then the values that were never seen before."""
        owner = "mrn" if spec.name == "visits" else spec.owner
        counted = (
            getattr(self.tables, spec.name)
            .group_by(pl.col(column.name).cast(pl.String).alias("word"))
            .agg(pl.len(), pl.col(owner).n_unique().alias("owners"))
            .sort("len", "word", descending=[True, False])
            .collect()
        )
        for word, n, owners in counted.iter_rows():
            label = "(blank)" if word is None else self.label(word, owners, column)
            yield f"value of {column.source}: {label}", self.cell(n, owners)
        if column.known is not None:
            new = counted.filter(pl.col("word").is_not_null() & ~pl.col("word").is_in(list(column.known)))
            for word, n, owners in new.iter_rows():
                yield f"never seen value of {column.source}: {self.label(word, owners, column)}", self.cell(n, owners)

    def missing(self, spec: TableSpec) -> Iterator[tuple[str, str]]:
        """Share of blank fields per column, of the rows kept."""
        blank = getattr(self.tables, spec.name).select(pl.col(list(spec.schema)).null_count() / pl.len()).collect()
        for column in spec.columns:
            yield f"missing share of {column.name}", f"{blank[column.name][0]:.4f}"

    def ranges(self, spec: TableSpec) -> Iterator[tuple[str, str]]:
        """Minimum, 1st, 50th and 99th percentile, maximum of every number and time."""
        names = [c.name for c in spec.columns if c.kind in ("count", "small", "number", "number32", "seconds")]
        if spec.name == "numerics" or not names:
            return
        owner = pl.col(spec.owner)
        owners = [owner.filter(pl.col(name).is_not_null()).n_unique().alias(f"owners {name}") for name in names]
        summary = getattr(self.tables, spec.name).select(*map(points, names), *owners).collect()
        for name in names:
            yield f"range of {name}", self.spread(summary[name][0].to_list(), summary[f"owners {name}"][0])

    def measures(self) -> Iterator[tuple[str, str]]:
        """Rows, impossible values and range of every known measure of `numerics`, by source."""
        for source, measure in product(sorted(SOURCES), MEASURES):
            rows = self.tables.numerics.filter((pl.col("source") == source) & (pl.col("measure") == measure))
            usable = valid_row(measure)
            found = rows.select(
                pl.len(),
                owners=pl.col("csn").n_unique(),
                impossible=(~usable).sum(),
                affected=pl.col("csn").filter(~usable).n_unique(),
                range=points("value"),
            )
            n, owners, impossible, affected, text = found.collect().row(0)
            if n:
                yield f"rows of {source} {measure}", self.cell(n, owners)
                yield f"impossible values of {source} {measure}", self.cell(impossible, affected)
                yield f"range of {source} {measure}", self.spread(list(text), owners)
        yield from self.cadence("SBP")

    def cadence(self, measure: str) -> Iterator[tuple[str, str]]:
        """How far apart the readings of a measure are; the table is sorted by visit and time."""
        for source in sorted(SOURCES):
            rows = self.tables.numerics.filter((pl.col("source") == source) & (pl.col("measure") == measure))
            same = pl.col("csn") == pl.col("csn").shift(1)
            apart = pl.col("time_s").diff().filter(same).median() / 60
            minutes, owners = rows.select(apart, owners=pl.col("csn").n_unique()).collect().row(0)
            if minutes is not None and not (self.data_class == "credentialed" and owners < SMALL):
                yield f"median minutes between {source} {measure}", f"{minutes:.1f}"


def points(name: str) -> pl.Expr:
    """Minimum, 1st, 50th, 99th percentile and maximum of a column as one list, rounded to hundredths."""
    column = pl.col(name).cast(pl.Float64)
    found = [column.min(), *(column.quantile(q) for q in QUANTILES), column.max()]
    return pl.concat_list(point.round(2) for point in found).alias(name)


def ingest_audit(tables: Tables, ledgers: Mapping[str, Ledger], listed: int, data_class: DataClass) -> pl.DataFrame:
    """Columns table, check, value, in a fixed order; `listed` = files whose SHA-256 was compared."""
    auditor = Auditor(tables, data_class)
    rows = folder_rows(data_class, listed)
    for name, spec in SPECS.items():
        rows += [(name, check, value) for check, value in ledger_rows(ledgers[name])]
        if name == "visits":
            rows += [(name, check, value) for check, value in auditor.people(EXPECTED)]
        rows += [(name, check, value) for check, value in auditor.contents(spec)]
    return as_frame(rows)


def folder_rows(data_class: DataClass, listed: int) -> list[Row]:
    """What is said of the folder as a whole."""
    return [
        ("folder", "data class", data_class),
        ("folder", "files checked against SHA256SUMS.txt", str(listed)),
    ]


def ledger_rows(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """What became of the rows of one file, and which of its columns nobody reads."""
    yield from ((check, str(n)) for check, n in ledger.rows())
    yield from (("column not read", column) for column in ledger.extra_columns)


def as_frame(rows: list[Row]) -> pl.DataFrame:
    """Columns table, check, value."""
    return pl.DataFrame(rows, schema=["table", "check", "value"], orient="row")
