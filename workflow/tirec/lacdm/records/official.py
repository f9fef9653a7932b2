"""The official CSV files as tables: every column of version 1.1, labels from pathology_ids.json alone."""

import ast
import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.errors import DataError
from tirec.records.columns import Column, Kind, TableSpec
from tirec.records.ledger import Ledger, split_by_reason
from tirec.records.reading import blanks, open_ledger, readable

MAX_BAD = "lacdm.max_bad_share"


def _file(name: str, *columns: Column) -> TableSpec:
    return TableSpec(name, (Column("hadm_id", "hadm_id", "id", required=True), *columns), "csn", ("row",))


def _text(source: str, name: str = "text", kind: Kind = "text") -> Column:
    return Column(source, name, kind)


FILES: Mapping[str, TableSpec] = {
    "history": _file("history_of_present_illness", _text("hpi")),
    "examination": _file("physical_examination", _text("pe")),
    "laboratory": _file(
        "laboratory_tests",
        Column("itemid", "itemid", "count", required=True),
        _text("valuestr", "value"),
        Column("ref_range_lower", "lower", "number"),
        Column("ref_range_upper", "upper", "number"),
    ),
    "microbiology": _file(
        "microbiology",
        Column("test_itemid", "test_itemid", "count", required=True),
        _text("valuestr", "value"),
        Column("spec_itemid", "spec_itemid", "count"),
    ),
    "radiology": _file(
        "radiology_reports",
        *(_text(name, name) for name in ("note_id", "modality", "region", "exam_name", "text")),
    ),
    "target/discharge_diagnosis": _file("discharge_diagnosis", _text("discharge_diagnosis")),
    "target/icd_diagnosis": _file("icd_diagnosis", _text("icd_diagnosis")),
    "target/discharge_procedures": _file("discharge_procedures", _text("discharge_procedure")),
    "target/icd_procedures": _file(
        "icd_procedures", _text("icd_code", "code"), _text("icd_title"), Column("icd_version", "version", "count")
    ),
}
"""The file of each table that has one row per row of it."""
MAPPING = TableSpec(
    "lab_test_mapping",
    (
        Column("itemid", "itemid", "count"),
        Column("label", "label", "text", required=True),
        *(_text(name, name) for name in ("fluid", "category", "corresponding_ids")),
        Column("count", "count", "count"),
    ),
    "csn",
    ("row",),
)


def read_official(files: Mapping[str, Path], max_bad_share: float) -> tuple[dict[str, pl.DataFrame], dict[str, Ledger]]:
    """The tables of the CSV files and what became of each file's rows; raises DataError naming file, column, row."""
    tables, ledgers = {}, {}
    for name, spec in FILES.items():
        tables[name], ledgers[spec.name] = _read(spec, files[spec.name], max_bad_share)
    items, ledgers[MAPPING.name] = _read(MAPPING, files[MAPPING.name], max_bad_share)
    tables["items"] = items.with_columns(_ids(items, files[MAPPING.name]))
    tables["labels"] = read_labels(files["pathology_ids"])
    return tables, ledgers


def _read(spec: TableSpec, path: Path, max_bad_share: float) -> tuple[pl.DataFrame, Ledger]:
    ledger = open_ledger(spec, path)
    parts = [split_by_reason(frame, blanks(spec), ledger) for frame in readable(spec, ledger)]
    frame = pl.concat(parts) if parts else spec.empty()
    ledger.kept = frame.height
    ledger.judge(max_bad_share, MAX_BAD)
    return frame, ledger


def _ids(items: pl.DataFrame, path: Path) -> pl.Series:
    """The lists of item ids, which the file writes as Python literals."""
    lists = [_id_list(text, row, path) for row, text in items.select("row", "corresponding_ids").iter_rows()]
    return pl.Series("corresponding_ids", lists, dtype=pl.List(pl.Int64))


def _id_list(text: str | None, row: int, path: Path) -> list[int]:
    try:
        return [int(itemid) for itemid in ast.literal_eval(text or "[]")]
    except (ValueError, SyntaxError, TypeError):
        raise DataError(f"{path}: column corresponding_ids, row {row}: is not a list of item ids") from None


def read_labels(path: Path) -> pl.DataFrame:
    """hadm_id, condition and place in the published order; raises DataError where the lists are not disjoint."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        lists = [(int(hadm), name) for name in CONDITIONS for hadm in content[name]]
    except (ValueError, TypeError, KeyError) as fault:
        raise DataError(f"{path}: is not four lists of hadm_id, one per condition ({fault})") from None
    frame = pl.DataFrame(lists, schema={"hadm_id": pl.Int64(), "condition": pl.String()}, orient="row")
    if frame["hadm_id"].is_duplicated().any():
        raise DataError(f"{path}: an admission stands in it twice; each has one condition")
    return frame.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64))
