"""How a column of a table is described: its header, its name, how its text is read; and what makes up a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

Kind = Literal["id", "count", "small", "number", "number32", "text", "raw", "category", "seconds", "instant", "day"]
Merge = Literal["earliest", "open", "last"]

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
"""How MC-MED writes a time."""

DTYPES: Mapping[str, pl.DataType] = {
    "id": pl.Int64(),
    "count": pl.Int64(),
    "small": pl.Int16(),
    "number": pl.Float64(),
    "number32": pl.Float32(),
    "text": pl.String(),
    "raw": pl.String(),
    "category": pl.Categorical(),
    "seconds": pl.Int64(),
    "instant": pl.Int64(),
    "day": pl.Int32(),
}


@dataclass(frozen=True)
class Column:
    """One column of a table: its header in the file, its name in the table and how its text is read.

    Kinds: `seconds` = since the visit's arrival, `instant` = seconds since 1970, `day` = days since 1970, `raw` = text
    kept to the byte, `text` = text without outer blanks. A row whose `required` column is blank is dropped and counted.
    """

    source: str
    name: str
    kind: Kind
    required: bool = False
    known: frozenset[str] | None = None
    vocabulary: bool = False

    @property
    def dtype(self) -> pl.DataType:
        """The type of the column in the table."""
        return DTYPES[self.kind]


@dataclass(frozen=True)
class TableSpec:
    """One table: its columns, the person or visit it belongs to, its order, and what makes two rows the same row."""

    name: str
    columns: tuple[Column, ...]
    owner: Literal["csn", "mrn"]
    order: tuple[str, ...]
    later: Mapping[str, Merge] = field(default_factory=dict)
    """Columns that become known after the row's own time: they do not tell two rows apart (cohort rule 2).

    Rows that are alike otherwise are one row; it takes the earliest stamp, or the end that keeps it open longest, or
    the last value in the alphabet, so that the result depends neither on the order of rows nor on the future.
    """
    time_format: str = TIME_FORMAT
    """How the file writes a time."""

    @property
    def headers(self) -> tuple[str, ...]:
        """The distinct headers the file must have."""
        return tuple(dict.fromkeys(column.source for column in self.columns))

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """Name and type of every column of the finished table."""
        found: dict[str, pl.DataType] = {"row": pl.Int64()}
        for column in self.columns:
            found[column.name] = column.dtype
            if (self.name, column.name) == ("labs", "component_value"):
                found |= {"value": pl.Float64(), "sign": pl.String()}
        return found

    def empty(self) -> pl.DataFrame:
        """The table without rows."""
        return pl.DataFrame(schema=self.schema)
