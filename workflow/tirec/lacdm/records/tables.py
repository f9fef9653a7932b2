"""The tables of LA-CDM: what may be shown, what is known of the person, and, apart from both, the target side."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tirec.errors import DataError
from tirec.provenance import write_parquet

_ROW = {"row": pl.Int64(), "hadm_id": pl.Int64()}
SHOWN: Mapping[str, Mapping[str, pl.DataType]] = {
    "history": _ROW | {"text": pl.String()},
    "examination": _ROW | {"text": pl.String()},
    "laboratory": _ROW | {"itemid": pl.Int64(), "value": pl.String(), "lower": pl.Float64(), "upper": pl.Float64()},
    "microbiology": _ROW | {"test_itemid": pl.Int64(), "value": pl.String(), "spec_itemid": pl.Int64()},
    "radiology": _ROW
    | {
        "note_id": pl.String(),
        "modality": pl.String(),
        "region": pl.String(),
        "exam_name": pl.String(),
        "text": pl.String(),
    },
    "items": {
        "row": pl.Int64(),
        "itemid": pl.Int64(),
        "label": pl.String(),
        "fluid": pl.String(),
        "category": pl.String(),
        "count": pl.Int64(),
        "corresponding_ids": pl.List(pl.Int64()),
    },
}
"""Tables from which observations are made; `row` is the row of the file, `items` the map of laboratory items."""
TARGET: Mapping[str, Mapping[str, pl.DataType]] = {
    "discharge_diagnosis": _ROW | {"text": pl.String()},
    "icd_diagnosis": _ROW | {"text": pl.String()},
    "discharge_procedures": _ROW | {"text": pl.String()},
    "icd_procedures": _ROW | {"code": pl.String(), "text": pl.String(), "version": pl.Int64()},
}
"""Written down at discharge: they name the disease or its treatment, and only the audit reads them."""
LABELS: Mapping[str, pl.DataType] = {"hadm_id": pl.Int64(), "condition": pl.String(), "position": pl.Int64()}
"""The label of each admission and its place in the order of the published files."""
PEOPLE: Mapping[str, pl.DataType] = {
    "hadm_id": pl.Int64(),
    "subject_id": pl.Int64(),
    "age": pl.Int32(),
    "sex": pl.String(),
}
"""What MIMIC-IV knows of the person; for splits and subgroups, never shown."""
CHARTED: Mapping[str, pl.DataType] = {"note_id": pl.String(), "hours": pl.Float64()}
"""Hours from admission to a report, where MIMIC-IV-Note is at hand."""
SCHEMAS = {
    **SHOWN,
    **{f"target/{name}": schema for name, schema in TARGET.items()},
    "labels": LABELS,
    "people": PEOPLE,
    "charted": CHARTED,
}
"""Every table by the path of its file below results/lacdm/tables/."""


def empty(name: str) -> pl.DataFrame:
    """A table without rows."""
    return pl.DataFrame(schema=SCHEMAS[name])


def write_tables(tables: Mapping[str, pl.DataFrame], folder: Path) -> None:
    """Writes every table, empty where it is not given; columns and types as the schemas say."""
    for name, schema in SCHEMAS.items():
        frame = tables.get(name, empty(name))
        write_parquet(frame.select(list(schema)).cast(pl.Schema(schema)), folder / f"{name}.parquet")


def read_tables(folder: Path, *names: str) -> dict[str, pl.DataFrame]:
    """Some of the tables; raises DataError where one does not exist."""
    return {name: _read(folder / f"{name}.parquet") for name in names}


def _read(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except FileNotFoundError:
        raise DataError(f"{path}: no such table; run ingest_lacdm first") from None
