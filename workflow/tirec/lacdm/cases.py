"""The cases of LA-CDM: one self-contained, memory-mapped file per split, read one case at a time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.agent.cases import MappedRows

ROWS = "rows__"
HEAD: Mapping[str, pl.DataType] = {
    "case_id": pl.Int64(),
    "hadm_id": pl.Int64(),
    "patient": pl.Int64(),
    "split": pl.String(),
    "condition": pl.String(),
    "age": pl.Int32(),
    "sex": pl.String(),
    "history": pl.String(),
}
"""Columns before the tests; then one column of text per test of the menu, null where it was not performed, and
`rows__{test}`, the source rows behind it."""


@dataclass(frozen=True)
class CdmCase:
    """One admission as the agents meet it, with its label; `age` and `sex` are for subgroups and never shown."""

    case_id: int
    hadm_id: int
    patient: int
    split: str
    condition: str
    age: int | None
    sex: str | None
    history: str
    texts: Mapping[str, str]
    """Result text of every test that was performed, by the menu's names."""
    rows: Mapping[str, tuple[int, ...]]
    """Source rows of those results (numbers in the table that the test's kind reads)."""


def open_cdm_cases(path: Path | str) -> "CdmCases":
    """Memory-maps a file of cases; raises DataError if it is not one."""
    return CdmCases(Path(path))


class CdmCases(MappedRows):
    """Random access to the cases of one split by case_id."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "case_id")
        self.tests = tuple(name for name in self.table.column_names if name not in HEAD and not name.startswith(ROWS))

    def __iter__(self) -> Iterator[CdmCase]:
        return (self[case_id] for case_id in self.ids)

    def __getitem__(self, case_id: int) -> CdmCase:
        """The case of an id; raises DataError if the file does not hold it."""
        values = self.values(case_id)
        texts = {name: values[name] for name in self.tests if values[name] is not None}
        rows = {name: tuple(values[ROWS + name] or ()) for name in texts}
        return CdmCase(**{name: values[name] for name in HEAD}, texts=texts, rows=rows)
