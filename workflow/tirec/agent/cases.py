"""The cases given to an agent: one self-contained, memory-mapped file per split."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from tirec.errors import DataError
from tirec.provenance import atomic

_ROWS = "rows__"
_HEAD = ("instance_id", "task", "setting", "cutoff_s", "split", "half", "label", "risk", "reference", "view")
_BATCH_ROWS = 2048


@dataclass(frozen=True)
class Case:
    """One instance as an agent meets it, with what its reward needs; texts and source rows by function.

    `rows` are those of the function's own table; `further_rows` name those of other tables, where there are any.
    """

    instance_id: int
    task: str
    setting: str
    cutoff_s: int
    split: str
    half: str | None
    label: int
    risk: float | None
    reference: tuple[str, ...]
    view: str
    texts: Mapping[str, str]
    rows: Mapping[str, tuple[int, ...]]
    further_rows: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)


def build(
    sampled: pl.DataFrame,
    instances: pl.DataFrame,
    observations: Mapping[str, pl.DataFrame],
    risk: pl.DataFrame,
    references: Mapping[str, tuple[str, ...]],
    split: str,
) -> Iterator[pl.DataFrame]:
    """One frame of cases per task of `observations`, sorted by instance_id, for the sampled instances of `split`.

    Raises DataError where a sampled instance has no label, risk or observations.
    """
    chosen = sampled.filter(pl.col("split") == split).select("instance_id", "evidence_id")
    known = instances.select("instance_id", "task", "setting", "cutoff_s", "split", "half", "label")
    head = chosen.join(known, on="instance_id", how="left").join(
        risk.select("instance_id", risk="p"), on="instance_id", how="left"
    )
    _require(head, "task", "instances")
    _require(head, "risk", "teacher risk")
    for task in sorted(observations):
        yield _with_texts(head.filter(pl.col("task") == task), observations[task], references[task])


def _with_texts(head: pl.DataFrame, observations: pl.DataFrame, reference: tuple[str, ...]) -> pl.DataFrame:
    texts = observations.select(pl.exclude("^tokens__.*$")).rename({"initial_view": "view"})
    joined = head.join(texts, on="evidence_id", how="left").sort("instance_id")
    _require(joined, "view", "observations")
    listed = pl.lit(list(reference), dtype=pl.List(pl.String))
    functions = [name for name in texts.columns if name not in ("evidence_id", "view")]
    return joined.with_columns(listed.alias("reference")).select(*_HEAD, *functions)


def _require(frame: pl.DataFrame, column: str, source: str) -> None:
    missing = frame.filter(pl.col(column).is_null())
    if missing.height:
        raise DataError(
            f"{missing.height} sampled instances have no {source}; first: instance {missing['instance_id'][0]}"
        )


def write(frames: Iterable[pl.DataFrame], path: Path | str) -> None:
    """Writes frames of cases as one uncompressed Arrow IPC file, batch by batch; raises DataError if there are none."""
    with atomic(path) as temporary:
        writer = None
        for frame in frames:
            schema = frame.head(0).to_arrow(compat_level=pl.CompatLevel.oldest()).schema
            writer = writer or pa.ipc.new_file(str(temporary), schema)
            for part in frame.iter_slices(_BATCH_ROWS):
                writer.write_batch(_batch(part, schema))
        if writer is None:
            raise DataError(f"{path}: no cases to write")
        writer.close()


def _batch(frame: pl.DataFrame, schema: pa.Schema) -> pa.RecordBatch:
    """Values copied one by one: frame buffers hold arbitrary bytes under nulls, equal cases must give equal bytes."""
    columns = [pa.array(frame[field.name].to_list(), type=field.type) for field in schema]
    return pa.record_batch(columns, schema=schema)


def open_cases(path: Path | str) -> "Cases":
    """Memory-maps a file of cases; raises DataError if it is not one."""
    return Cases(Path(path))


class MappedRows:
    """Rows of a memory-mapped file by an id column, without reading the file into memory."""

    def __init__(self, path: Path, key: str) -> None:
        try:
            self.table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        except FileNotFoundError:
            raise DataError(f"{path}: no such file of cases") from None
        except (OSError, pa.ArrowInvalid) as error:
            raise DataError(f"{path} is not a readable file of cases: {error}") from error
        if key not in self.table.column_names:
            raise DataError(f"{path}: column {key} is missing; is this the file of another system?")
        self._key = key
        ids = self.table.column(key).to_pylist()
        self._row = {found: row for row, found in enumerate(ids)}
        self.ids: list[int] = sorted(ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, wanted: int) -> bool:
        return wanted in self._row

    def values(self, wanted: int) -> dict[str, Any]:
        """Every column's value of one id; raises DataError if the file does not hold it."""
        row = self._row.get(wanted)
        if row is None:
            raise DataError(f"no case of {self._key.removesuffix('_id')} {wanted} in this file")
        return dict(self.table.slice(row, 1).to_pylist()[0])

    def columns(self, names: Iterable[str]) -> pl.DataFrame:
        """Some columns of every row, by id."""
        frame = pl.from_arrow(self.table.select(list(names)))
        assert isinstance(frame, pl.DataFrame)
        return frame.sort(self._key)


class Cases(MappedRows):
    """Random access to cases by instance_id."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "instance_id")
        self.functions = tuple(
            name for name in self.table.column_names if name not in _HEAD and not name.startswith(_ROWS)
        )

    def __iter__(self) -> Iterator[Case]:
        return (self[instance_id] for instance_id in self.ids)

    def __getitem__(self, instance_id: int) -> Case:
        """The case of an instance; raises DataError if the file does not hold it."""
        return _case(self.values(instance_id), self.functions)

    @property
    def frame(self) -> pl.DataFrame:
        """Everything but view, texts and rows, one row per case, by instance_id."""
        return self.columns(name for name in _HEAD if name != "view")


def _case(values: Mapping[str, Any], functions: Iterable[str]) -> Case:
    head = {name: values[name] for name in _HEAD}
    texts = {name: values[name] for name in functions}
    cited = {name.removeprefix(_ROWS): tuple(rows or ()) for name, rows in values.items() if name.startswith(_ROWS)}
    rows = {name: cited[name] for name in texts}
    further = {name: _further(name, cited) for name in texts}
    return Case(**{**head, "reference": tuple(head["reference"])}, texts=texts, rows=rows, further_rows=further)


def _further(function: str, cited: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The rows of further tables that a function's text rests on, by table."""
    prefix = f"{function}__"
    return {name.removeprefix(prefix): rows for name, rows in cited.items() if name.startswith(prefix) and rows}
