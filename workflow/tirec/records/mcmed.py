"""MC-MED's eight tables, read once each as a stream, typed and written as Parquet (format: 1.0.0 and 1.0.1)."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tirec.config.data import DataConfig
from tirec.errors import DataError
from tirec.records import audit, checksums
from tirec.records.buckets import Buckets, assign, bucket_count, merged
from tirec.records.columns import TableSpec
from tirec.records.folder import data_class, data_folder, table_files
from tirec.records.ledger import Ledger, split_by_reason
from tirec.records.reading import blanks, open_ledger, publish, readable, require_single, staged, write_table
from tirec.records.schema import DISPOSITIONS, SPECS, VISITS, Tables
from tirec.records.split_files import read_split_files

__all__ = ["data_class", "ingest", "raw_files", "read_split_files"]


def ingest(root: Path, tables_dir: Path, audit_path: Path, config: DataConfig) -> None:
    """Reads the folder `root` into `tables_dir/<table>.parquet` and says in `audit_path` what became of each row.

    Everything is written under other names first, so that a fault leaves earlier results as they were. Raises
    DataError with the file, column and row where a file is missing, damaged or breaks its format.
    """
    folder = data_folder(root)
    files = table_files(folder)
    ledgers = {name: open_ledger(SPECS[name], path) for name, path in files.items()}
    listed = checksums.verify(root, folder, raw_files(root, tables_dir))
    with staged(tables_dir) as stage:
        _write_tables(ledgers, stage, config.max_bad_share)
        found = audit.ingest_audit(Tables.open(stage), ledgers, listed, data_class(root, config.data_class))
        publish(stage, tables_dir, found, audit_path)


def raw_files(root: Path, tables_dir: Path) -> dict[str, checksums.Entry]:
    """Size, time and SHA-256 of the eight files by name, read once and remembered beside the tables."""
    return checksums.manifest(table_files(data_folder(root)).values(), tables_dir / checksums.CACHE)


def _write_tables(ledgers: dict[str, Ledger], stage: Path, max_bad_share: float) -> None:
    visits = read_visits(ledgers["visits"], max_bad_share)
    write_table(VISITS, [visits], stage)
    for name, ledger in ledgers.items():
        if name != "visits":
            buckets = _set_out(SPECS[name], ledger, visits, stage / name)
            ledger.judge(max_bad_share)
            write_table(SPECS[name], _finished(SPECS[name], buckets, ledger), stage)


def _finished(spec: TableSpec, buckets: Buckets, ledger: Ledger) -> Iterator[pl.DataFrame]:
    for frame in buckets.frames():
        single = merged(spec, frame)
        ledger.drop("duplicate", frame.height - single.height)
        ledger.kept -= frame.height - single.height
        yield single


def read_visits(ledger: Ledger, max_bad_share: float) -> pl.DataFrame:
    """The visits, sorted by csn; two rows of one visit that differ, or an unknown ED_dispo, are errors."""
    frames = [split_by_reason(frame, blanks(VISITS), ledger) for frame in readable(VISITS, ledger)]
    rows = pl.concat(frames) if frames else VISITS.empty()
    visits = merged(VISITS, rows)
    ledger.drop("duplicate", rows.height - visits.height)
    ledger.kept = visits.height
    ledger.judge(max_bad_share)
    require_single(VISITS, visits, "csn", ledger.file)
    _check_dispositions(visits, ledger.file)
    return visits.with_columns(_since(VISITS, pl.col("arrival_abs_s")))


def _since(spec: TableSpec, arrival: pl.Expr) -> list[pl.Expr]:
    return [pl.col(column.name) - arrival for column in spec.columns if column.kind == "seconds"]


def _check_dispositions(visits: pl.DataFrame, file: Path) -> None:
    unknown = visits.filter(~pl.col("ed_dispo").is_in(list(DISPOSITIONS))).sort("row")
    if not unknown.is_empty():
        raise DataError(
            f"{file}: column ED_dispo, row {unknown['row'][0]}: none of {', '.join(sorted(DISPOSITIONS))}; "
            f"{unknown.height} rows have a disposition that no rule knows"
        )


def _set_out(spec: TableSpec, ledger: Ledger, visits: pl.DataFrame, directory: Path) -> Buckets:
    """Reads a table of visits or patients into buckets; rows without an owner or outside the visit are counted."""
    owners = _owners(spec, visits, bucket_count(ledger.file))
    buckets = Buckets(directory)
    reasons = _outside(spec)
    for frame in readable(spec, ledger):
        owned = frame.join(owners, on=spec.owner, how="left", maintain_order="left")
        if spec.owner == "csn":
            owned = owned.with_columns(_since(spec, pl.col("_arrival")))
        rows = split_by_reason(owned, reasons, ledger)
        ledger.kept += rows.height
        buckets.add(rows.select(*spec.schema, "_bucket"))
    return buckets


def _owners(spec: TableSpec, visits: pl.DataFrame, buckets: int) -> pl.DataFrame:
    if spec.owner == "mrn":
        return assign(visits.select("mrn").unique(), "mrn", buckets)
    return assign(visits.select("csn", _arrival="arrival_abs_s", _departure="departure_s"), "csn", buckets)


def _outside(spec: TableSpec) -> dict[str, pl.Expr]:
    """Why a readable row is left out; an unknown visit first, because without its arrival no time is known either."""
    owner = spec.owner.upper()
    unknown = {
        f"blank {owner}": pl.col(spec.owner).is_null(),
        f"unknown {owner}": pl.col("_bucket").is_null(),
    }
    reasons = unknown | blanks(spec)
    if spec.name != "numerics":
        return reasons
    time = pl.col("time_s")
    return reasons | {"before arrival": time < 0, "after departure": time > pl.col("_departure")}
