"""What a clinical function is: one object with an item of the menu (schema), columns (trees) and a text (agents)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa

from tirec.evidence.menu import Item
from tirec.evidence.tokens import assert_cap, counter, fitted
from tirec.evidence.window import Evidence

Row = dict[str, Any]
"""One row of a frame by column name."""


class Text(NamedTuple):
    """A text before its cap: headline, further lines, the source rows it rests on, rows beyond the lines.

    Where every line stands for rows of its own, `line_rows` names them: lines that are cut take their rows along.
    `further_rows` are rows of other tables than the function's first, by table.
    """

    headline: str
    lines: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    more: int = 0
    line_rows: tuple[tuple[int, ...], ...] = ()
    further_rows: Mapping[str, tuple[int, ...]] = MappingProxyType({})


Describe = Callable[[Evidence, pl.DataFrame], Iterator[Text]]


def no_features(evidence: Evidence) -> pl.DataFrame:
    """The features of a function that has a text only."""
    return evidence.ids


@dataclass(frozen=True)
class ClinicalFunction:
    """One tool of the agent and its columns in the trees.

    `features` gives evidence_id and unprefixed columns for the cases that have any (columns named `row_…` hold source
    rows and are no features). `describe` gives one Text per row of the completed features, in order, so that text and
    tree speak of the same numbers. `table` is the record table whose rows the texts name; `further_tables` are others.
    """

    item: Item
    table: str
    features: Callable[[Evidence], pl.DataFrame]
    describe: Describe
    further_tables: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The function's name on the menu."""
        return self.item.name

    def columns(self, evidence: Evidence) -> pl.DataFrame:
        """evidence_id and `<name>__<feature>` (float32, NaN = not observed), one row per case."""
        complete = self._complete(evidence)
        shown = [name for name in complete.columns[1:] if not name.startswith("row_")]
        return complete.select("evidence_id", *(pl.col(name).alias(f"{self.name}__{name}") for name in shown))

    def texts(self, evidence: Evidence) -> pl.DataFrame:
        """evidence_id, text, headline, rows (source rows of `table`) and `rows__<further table>`, one row per case.

        Raises CapError where a text is over its cap, which would be a fault of this program.
        """
        rules = evidence.rules.observations
        cap = rules.detail_tokens if self.item.detail else rules.summary_tokens
        count = counter(rules.tokenizer)
        complete = self._complete(evidence)
        described = list(self.describe(evidence, complete))
        whole = [fitted(text.headline, text.lines, text.more, cap, count) for text in described]
        for text, _ in whole:
            assert_cap(self.name, count(text), cap)
        rows = [_rows_said(text, kept) for text, (_, kept) in zip(described, whole, strict=True)]
        further = [
            _row_lists(f"rows__{table}", [text.further_rows.get(table, ()) for text in described])
            for table in self.further_tables
        ]
        shown = pl.Series("text", [text for text, _ in whole], dtype=pl.String)
        headline = pl.Series("headline", [text.partition("\n")[0] for text, _ in whole], dtype=pl.String)
        return complete.select("evidence_id").with_columns(shown, headline, _row_lists("rows", rows), *further)

    def _complete(self, evidence: Evidence) -> pl.DataFrame:
        """The features of every case: float32, NaN where there are none."""
        found = self.features(evidence)
        names = [name for name in found.columns if name != "evidence_id"]
        floats = [pl.col(name).cast(pl.Float32).fill_null(float("nan")) for name in names if name[:4] != "row_"]
        return evidence.ids.join(found, on="evidence_id", how="left", maintain_order="left").with_columns(floats)


def _rows_said(text: Text, kept: int) -> tuple[int, ...]:
    """The source rows of a text of which the first `kept` lines stand."""
    return source_rows(*text.rows, *chain.from_iterable(text.line_rows[:kept]))


def _row_lists(name: str, rows: Sequence[tuple[int, ...]]) -> pl.Series:
    """The texts' source rows as a list column (built from one flat array: many short lists are slow one by one)."""
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
    return pl.Series(name, pa.LargeListArray.from_arrays(ends, flat), dtype=pl.List(pl.Int64))


def rows_of(frame: pl.DataFrame) -> Iterator[Row]:
    """The rows of a frame as dictionaries."""
    return frame.iter_rows(named=True)


def lists_of(evidence: Evidence, rows: pl.DataFrame) -> Iterator[list[Row]]:
    """For each case in order, its rows of a frame sorted by evidence_id (an empty list where it has none)."""
    runs = groupby(rows_of(rows), key=itemgetter("evidence_id"))
    waiting = next(runs, None)
    for evidence_id in evidence.ids["evidence_id"]:
        if waiting is None or waiting[0] != evidence_id:
            yield []
            continue
        found = list(waiting[1])
        waiting = next(runs, None)
        yield found


def rows_in(entries: Sequence[Row]) -> tuple[int, ...]:
    """The source rows of a frame's rows, ascending."""
    return source_rows(*(entry["row"] for entry in entries))


def source_rows(*rows: int | None) -> tuple[int, ...]:
    """Source rows without gaps and repetitions, ascending."""
    return tuple(sorted({row for row in rows if row is not None}))
