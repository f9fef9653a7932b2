"""What MIMIC-IV adds by hadm_id and note_id: the patient, age and sex, and when each report was charted."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tirec.lacdm.records.tables import CHARTED, PEOPLE, empty
from tirec.records.columns import Column, TableSpec
from tirec.records.reading import open_ledger, readable, require_single

TIME_FORMAT = "%Y-%m-%d %H:%M:%S"
_ID = Column("subject_id", "subject_id", "id", required=True)
_HADM = Column("hadm_id", "hadm_id", "count")


def _file(name: str, *columns: Column) -> TableSpec:
    return TableSpec(name, columns, "csn", ("row",), time_format=TIME_FORMAT)


ADMISSIONS = _file("admissions", _ID, _HADM, Column("admittime", "admitted", "instant", required=True))
PATIENTS = _file(
    "patients",
    _ID,
    Column("gender", "sex", "text"),
    Column("anchor_age", "anchor_age", "count"),
    Column("anchor_year", "anchor_year", "count"),
)
REPORTS = _file(
    "radiology",
    Column("note_id", "note_id", "text", required=True),
    _HADM,
    Column("charttime", "charted", "instant", required=True),
)


def read_hospital(files: Mapping[str, Path], hadm_ids: pl.Series) -> dict[str, pl.DataFrame]:
    """`people` and `charted` of these admissions; empty without files. Every other row of MIMIC-IV is left unread."""
    if not files:
        return {"people": empty("people"), "charted": empty("charted")}
    came = _rows(ADMISSIONS, files["hosp/admissions"], "hadm_id", pl.col("hadm_id").is_in(hadm_ids.implode()))
    known = came["subject_id"].implode()
    patients = _rows(PATIENTS, files["hosp/patients"], "subject_id", pl.col("subject_id").is_in(known))
    reports = _rows(REPORTS, files["note/radiology"], "note_id", pl.col("hadm_id").is_in(hadm_ids.implode()))
    return {"people": _people(came, patients), "charted": _charted(came, reports)}


def _rows(spec: TableSpec, path: Path, key: str, wanted: pl.Expr) -> pl.DataFrame:
    """The rows of a large file that belong to the admissions at hand, one per `key`."""
    rows = pl.concat([frame.filter(wanted) for frame in readable(spec, open_ledger(spec, path))])
    single = rows.unique(pl.exclude("row"), keep="first", maintain_order=True)
    require_single(spec, single, key, path)
    return single


def _people(came: pl.DataFrame, patients: pl.DataFrame) -> pl.DataFrame:
    year = pl.from_epoch("admitted").dt.year()
    joined = came.join(patients.drop("row"), on="subject_id", how="left", maintain_order="left")
    return joined.select(
        "hadm_id", "subject_id", age=pl.col("anchor_age") + year - pl.col("anchor_year"), sex="sex"
    ).cast(pl.Schema(PEOPLE))


def _charted(came: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    joined = reports.join(came.select("hadm_id", "admitted"), on="hadm_id", how="inner", maintain_order="left")
    return joined.select("note_id", hours=(pl.col("charted") - pl.col("admitted")) / 3600).cast(pl.Schema(CHARTED))
