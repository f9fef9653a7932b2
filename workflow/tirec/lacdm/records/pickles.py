"""The framework's pickles as tables: one dictionary of admissions per condition, and the mapping as a frame."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.errors import DataError
from tirec.lacdm.records.tables import LABELS, SCHEMAS
from tirec.lacdm.records.unpickling import load_containers

Admission = Mapping[str, Any]
Cells = tuple[Any, ...]


def read_pickles(files: Mapping[str, Path]) -> dict[str, pl.DataFrame]:
    """The tables of the four pickles, in the published order; keys that an admission lacks are no rows."""
    rows: dict[str, list[Cells]] = {name: [] for name in _ROWS}
    labels: list[Cells] = []
    for condition in CONDITIONS:
        for hadm, admission in _admissions(files[condition]):
            labels.append((hadm, condition, len(labels)))
            for name, cells in _ROWS.items():
                rows[name].extend((len(rows[name]) + 1 + at, hadm, *row) for at, row in enumerate(cells(admission)))
    tables = {name: _frame(name, found) for name, found in rows.items()}
    mapping = _mapping(files["lab_test_mapping"])
    return {**tables, "items": mapping, "labels": pl.DataFrame(labels, schema=dict(LABELS), orient="row")}


def _admissions(path: Path) -> Iterator[tuple[int, Admission]]:
    content = load_containers(path)
    if not isinstance(content, Mapping) or not all(isinstance(value, Mapping) for value in content.values()):
        raise DataError(f"{path}: is not a dictionary of admissions")
    for hadm, admission in content.items():
        if "Patient History" not in admission:
            raise DataError(f"{path}: an admission lacks the key Patient History; is this a pickle of the framework?")
        yield int(hadm), admission


def _frame(name: str, rows: list[Cells]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict(SCHEMAS[name]), orient="row", strict=False)


def _note(key: str) -> Any:
    def cells(admission: Admission) -> Iterator[Cells]:
        if text := (admission.get(key) or "").strip():
            yield (text,)

    return cells


def _laboratory(admission: Admission) -> Iterator[Cells]:
    lower, upper = (admission.get(f"Reference Range {end}") or {} for end in ("Lower", "Upper"))
    for itemid, value in (admission.get("Laboratory Tests") or {}).items():
        yield int(itemid), _word(value), _number(lower.get(itemid)), _number(upper.get(itemid))


def _microbiology(admission: Admission) -> Iterator[Cells]:
    specimens = admission.get("Microbiology Spec") or {}
    for test, value in (admission.get("Microbiology") or {}).items():
        yield int(test), _word(value), specimens.get(test)


def _radiology(admission: Admission) -> Iterator[Cells]:
    for report in admission.get("Radiology") or ():
        yield tuple(_word(report.get(key)) for key in ("Note ID", "Modality", "Region", "Exam Name", "Report"))


def _list(key: str) -> Any:
    def cells(admission: Admission) -> Iterator[Cells]:
        yield from ((_word(text),) for text in admission.get(key) or ())

    return cells


def _coded(admission: Admission) -> Iterator[Cells]:
    for version in (9, 10):
        codes = admission.get(f"Procedures ICD{version}") or ()
        titles = admission.get(f"Procedures ICD{version} Title") or ()
        yield from ((str(code), _word(title), version) for code, title in zip(codes, titles, strict=False))


_ROWS: Mapping[str, Any] = {
    "history": _note("Patient History"),
    "examination": _note("Physical Examination"),
    "laboratory": _laboratory,
    "microbiology": _microbiology,
    "radiology": _radiology,
    "target/discharge_diagnosis": _note("Discharge Diagnosis"),
    "target/icd_diagnosis": _list("ICD Diagnosis"),
    "target/discharge_procedures": _list("Procedures Discharge"),
    "target/icd_procedures": _coded,
}


def _mapping(path: Path) -> pl.DataFrame:
    frame = load_containers(path)
    try:
        rows = frame.reset_index(drop=True).to_dict("records")
        cells = [
            (
                at,
                _whole(row["itemid"]),
                *(_word(row[name]) for name in ("label", "fluid", "category")),
                _whole(row.get("count")),
                _ids(row),
            )
            for at, row in enumerate(rows, start=1)
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise DataError(f"{path}: is not the framework's frame of laboratory items ({fault})") from None
    return _frame("items", cells)


def _ids(row: Mapping[str, Any]) -> list[int]:
    return [int(itemid) for itemid in row["corresponding_ids"]]


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _word(value: Any) -> str | None:
    return None if _missing(value) else str(value).strip() or None


def _whole(value: Any) -> int | None:
    return None if _missing(value) else int(value)


def _number(value: Any) -> float | None:
    return None if _missing(value) else float(value)
