"""One comma-separated file as a stream of text rows: quoted newlines, BOM, CRLF and gzip as they come.

Arrow's reader is used, not polars', because it says which rows have too few or too many fields; polars fills a short
row with blanks, so that a download cut in the middle of a row would pass unnoticed.
"""

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
from pyarrow import csv as arrow_csv

from tirec.errors import DataError
from tirec.records.ledger import Ledger

BLOCK_BYTES = 8 << 20


def read_header(path: Path) -> list[str]:
    """The names in the first line as they stand there; a file without header or rows is a DataError."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as handle:
            names = next(csv.reader(handle), None)
            rows = any(line.strip() for line in handle)
    except (EOFError, OSError) as error:
        raise DataError(f"{path}: cannot be read ({cause(error)})") from error
    if names is None:
        raise DataError(f"{path}: is empty, not even a header")
    if not names:
        raise DataError(f"{path}: its first line is blank, where the header should be")
    if not rows:
        raise DataError(f"{path}: has a header but no rows")
    return names


def check_header(path: Path, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Stops where a wanted column is missing or stands twice; returns the columns that no one asked for."""
    names = [name.strip() for name in read_header(path)]
    for column in wanted:
        if names.count(column) == 0:
            raise DataError(f"{path}: column {column} is missing")
        if names.count(column) > 1:
            raise DataError(f"{path}: column {column} stands twice in the header")
    return tuple(name for name in names if name not in wanted)


@dataclass(frozen=True)
class Misshapen:
    """A record with the wrong number of fields: its data row, its width, and the lines it swallowed."""

    row: int
    short: bool
    lines: int


def byte_batches(path: Path, wanted: tuple[str, ...], ledger: Ledger) -> Iterator[pl.DataFrame]:
    """Frames of `row` (1-based data row) and the wanted columns as bytes; misshapen rows go to the ledger."""
    misshapen: list[Misshapen] = []
    last: pl.DataFrame | None = None
    for batch in _arrow_batches(path, wanted, misshapen, ledger):
        first = 1 if last is None else int(last["row"][-1]) + 1
        frame = _numbered(batch, first, {record.row for record in misshapen})
        if not frame.is_empty():
            last = frame.tail(1)
            ledger.read += frame.height
            yield frame
    for record in misshapen:
        ledger.read += record.lines
        why = "has too few fields" if record.short else "has too many fields"
        ledger.set_aside(record.row, "", why, record.lines)
    _check_end(path, misshapen, last)


def _arrow_batches(
    path: Path, wanted: tuple[str, ...], misshapen: list[Misshapen], ledger: Ledger
) -> Iterator[pa.RecordBatch]:
    names = read_header(path)
    chosen = [name for name in names if name.strip() in wanted]

    def note(row: arrow_csv.InvalidRow) -> str:
        short = row.actual_columns < row.expected_columns
        misshapen.append(Misshapen(row.number - 1, short, 1 + row.text.strip().count("\n")))
        return "skip"

    try:
        yield from arrow_csv.open_csv(
            path,
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=chosen, column_types={name: pa.binary() for name in chosen}
            ),
        )
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path}: cannot be read on after row {ledger.read} ({cause(error)})") from error


def _numbered(batch: pa.RecordBatch, first: int, skipped: set[int]) -> pl.DataFrame:
    """The batch with its data rows' numbers, which leave out the misshapen rows."""
    table = pa.Table.from_batches([batch]).rename_columns([name.strip() for name in batch.schema.names])
    frame = pl.DataFrame(pl.from_arrow(table))
    candidates = pl.int_range(first, first + frame.height + len(skipped), dtype=pl.Int64, eager=True)
    if skipped:
        candidates = candidates.filter(~candidates.is_in(list(skipped)))
    return frame.insert_column(0, candidates.head(frame.height).alias("row"))


def _check_end(path: Path, misshapen: list[Misshapen], last: pl.DataFrame | None) -> None:
    """Stops where the file was cut in the middle of a row or of a quoted field."""
    final = 0 if last is None else int(last["row"][0])
    if misshapen and misshapen[-1].row > final and misshapen[-1].short:
        what = "a quote is opened and never closed" if misshapen[-1].lines > 1 else "the file ends in the middle of it"
        raise DataError(f"{path}: row {misshapen[-1].row}: {what}; the file was cut, get it again")
    if last is not None and path.suffix != ".gz" and b"\n" in last.row(0)[-1] and not _ends_with_quote(path):
        raise DataError(f"{path}: row {final}: a quote is opened and never closed; the file was cut, get it again")


def _ends_with_quote(path: Path) -> bool:
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - 1024))
        return handle.read().rstrip().endswith(b'"')


def cause(error: Exception) -> str:
    """What is wrong in words of our own, because a parser's message may repeat the row."""
    said = str(error).lower()
    if "truncated" in said or "end-of-stream" in said or isinstance(error, EOFError):
        return "its compressed data ends too early; get it again"
    if "inflate" in said or "gzip" in said or "header check" in said or "crc" in said:
        return "its compressed data is damaged; get it again"
    if isinstance(error, pa.ArrowInvalid):
        return "not a comma-separated table; is a quote never closed?"
    return type(error).__name__
