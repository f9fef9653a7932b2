"""From a raw file to typed rows, and from finished rows to a table: what the formats of the records share."""

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from tqdm import tqdm

from tirec.errors import DataError
from tirec.provenance import write_tsv
from tirec.records.buckets import TableWriter
from tirec.records.columns import TableSpec
from tirec.records.ledger import Ledger
from tirec.records.schema import SPECS
from tirec.records.stream import byte_batches, check_header
from tirec.records.values import decode, faults, typed


def open_ledger(spec: TableSpec, path: Path) -> Ledger:
    """An empty ledger of a file whose header holds every column that is asked for."""
    return Ledger(path, extra_columns=check_header(path, spec.headers))


def readable(spec: TableSpec, ledger: Ledger) -> Iterator[pl.DataFrame]:
    """The typed rows of a file whose every field can be read; times in seconds since 1970."""
    progress = tqdm(desc=spec.name, unit=" rows", unit_scale=True, delay=10, mininterval=5, file=sys.stderr)
    with progress:
        for raw in byte_batches(ledger.file, spec.headers, ledger):
            progress.update(raw.height)
            decoded = decode(raw)
            frame = typed(spec, decoded)
            wrong = faults(spec, decoded, frame)
            for row, column, why in wrong.iter_rows():
                ledger.set_aside(row, column, why)
            yield frame if wrong.is_empty() else frame.join(wrong, on="row", how="anti", maintain_order="left")


def blanks(spec: TableSpec) -> dict[str, pl.Expr]:
    """Why a readable row is left out although its fields can be read: a required one is blank."""
    return {f"blank {column.source}": pl.col(column.name).is_null() for column in spec.columns if column.required}


def require_single(spec: TableSpec, frame: pl.DataFrame, key: str, file: Path) -> None:
    """Raises DataError where two rows of one `key` differ, naming the first column in which they do."""
    twice = frame.filter(pl.col(key).is_duplicated()).sort(key, "row").head(2)
    if twice.is_empty():
        return
    word = next(column.source for column in spec.columns if column.name == key)
    differing = next(c.source for c in spec.columns if not twice[c.name].equals(twice[c.name].reverse()))
    first, second = twice["row"]
    raise DataError(f"{file}: column {differing}: rows {first} and {second} are the same {word} with different values")


def write_table(spec: TableSpec, frames: Iterable[pl.DataFrame], stage: Path) -> None:
    """Writes sorted frames as `stage/<table>.parquet`, piece by piece."""
    writer = TableWriter(spec, stage / f"{spec.name}.parquet")
    for frame in frames:
        writer.add(frame)
    writer.close()


def publish(stage: Path, tables_dir: Path, audit: pl.DataFrame, audit_path: Path) -> None:
    """Puts finished tables in their place, after the audit, whose writing can still fail."""
    write_tsv(audit, audit_path)
    for name in SPECS:
        (stage / f"{name}.parquet").replace(tables_dir / f"{name}.parquet")


@contextmanager
def staged(tables_dir: Path) -> Iterator[Path]:
    """A directory inside `tables_dir` that is gone in the end, however the block ends."""
    stage = tables_dir / ".ingest.partial"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)
