"""Sorting a table larger than memory: rows are set out by owner into files that fit, then sorted one by one."""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

import polars as pl
import pyarrow as pa
from pyarrow import parquet

from tirec.records.columns import Merge, TableSpec

BUCKET_BYTES = 128 << 20
"""Bytes of comma-separated text per bucket; a bucket in memory is a few times that."""
GZIP_RATIO = 8
ROW_GROUP = 250_000
DICTIONARY = pa.dictionary(pa.int32(), pa.large_string())


def bucket_count(path: Path) -> int:
    """How many buckets the rows of a file are set out into."""
    size = path.stat().st_size * (GZIP_RATIO if path.suffix == ".gz" else 1)
    return max(1, ceil(size / BUCKET_BYTES))


def assign(owners: pl.DataFrame, key: str, buckets: int) -> pl.DataFrame:
    """The owners with `_bucket`, in equal and ascending shares of the sorted key."""
    ranked = owners.sort(key)
    share = pl.int_range(pl.len()) * buckets // max(1, ranked.height)
    return ranked.with_columns(share.cast(pl.Int32).alias("_bucket"))


class Buckets:
    """Files of a temporary directory that take the rows of ascending ranges of owners."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        self._directory = directory
        self._writers: dict[int, pa.RecordBatchStreamWriter] = {}

    def add(self, frame: pl.DataFrame) -> None:
        """Appends rows, each to the file of its `_bucket`."""
        for bucket, part in frame.partition_by("_bucket", as_dict=True, include_key=False).items():
            table = part.to_arrow(compat_level=pl.CompatLevel.oldest())
            self._writer(int(bucket[0]), table.schema).write_table(table)

    def _writer(self, bucket: int, schema: pa.Schema) -> pa.RecordBatchStreamWriter:
        if bucket not in self._writers:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writers[bucket] = pa.ipc.new_stream(self._path(bucket), schema, options=options)
        return self._writers[bucket]

    def _path(self, bucket: int) -> Path:
        return self._directory / f"{bucket}.arrows"

    def frames(self) -> Iterator[pl.DataFrame]:
        """The rows of one bucket after the other, in ascending order of owners; each file is removed once read."""
        for writer in self._writers.values():
            writer.close()
        for bucket in sorted(self._writers):
            path = self._path(bucket)
            yield pl.read_ipc_stream(path)
            path.unlink()


def merged(spec: TableSpec, frame: pl.DataFrame) -> pl.DataFrame:
    """One row for all rows that are alike in what is known at their own time, sorted; `row` is the first of them."""
    alike = [column.name for column in spec.columns if column.name not in spec.later]
    derived = [name for name in spec.schema if name not in {"row", *alike, *spec.later}]
    late = [_merge(name, how) for name, how in spec.later.items()]
    # keeping the order costs little and leaves the sort almost nothing to do
    single = frame.group_by(alike, maintain_order=True).agg(
        pl.col("row").min(), *late, *(pl.col(name).first() for name in derived)
    )
    return single.select(list(spec.schema)).sort(*spec.order, "row", nulls_last=True)


def _merge(name: str, how: Merge) -> pl.Expr:
    column = pl.col(name)
    match how:
        case "earliest":
            return column.min()
        case "open":
            return pl.when(column.null_count() == 0).then(column.max())
    return column.max()


class TableWriter:
    """A Parquet file written piece by piece, whose bytes depend on the rows alone."""

    def __init__(self, spec: TableSpec, path: Path) -> None:
        self._categories = [column.name for column in spec.columns if column.kind == "category"]
        self._schema = self._arrow(spec.empty().cast({name: pl.String for name in self._categories})).schema
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def add(self, frame: pl.DataFrame) -> None:
        """Appends sorted rows."""
        self._writer.write_table(self._arrow(frame).cast(self._schema), row_group_size=ROW_GROUP)

    def close(self) -> None:
        """Ends the file."""
        self._writer.close()

    def _arrow(self, frame: pl.DataFrame) -> pa.Table:
        """Categories get a dictionary in order of appearance; polars' own would depend on what else it has seen."""
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).combine_chunks()
        for name in self._categories:
            position = table.schema.get_field_index(name)
            table = table.set_column(position, pa.field(name, DICTIONARY), table[name].dictionary_encode())
        return table
