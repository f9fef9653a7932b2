"""The whole folder into typed tables, with what was read, kept and set aside."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from tirec.config.data import DataClass
from tirec.config.lacdm import LacdmConfig
from tirec.errors import DataError
from tirec.lacdm.records.folder import cdm_files, form_of, hospital_files
from tirec.lacdm.records.hospital import read_hospital
from tirec.lacdm.records.official import read_official
from tirec.lacdm.records.pickles import read_pickles
from tirec.lacdm.records.tables import SCHEMAS, write_tables
from tirec.provenance import write_tsv
from tirec.records import checksums
from tirec.records.folder import data_class
from tirec.records.ledger import Ledger

Row = tuple[str, str, str]


def ingest_cdm(root: Path, tables_dir: Path, audit_path: Path, config: LacdmConfig) -> None:
    """Writes every table below `tables_dir` and says in `audit_path` what became of each file's rows.

    Raises DataError with file, column and row where a file is missing, damaged, breaks its format, or where an
    admission has no label; a label without a history is an error too.
    """
    files = cdm_files(root)
    listed = checksums.verify(root, root, raw_cdm_files(root, tables_dir))
    tables, ledgers = _read(root, files, config)
    _check_labels(tables, files)
    tables |= read_hospital(hospital_files(root, config), tables["labels"]["hadm_id"])
    rows = [("folder", "form", form_of(root)), ("folder", "files whose checksum was verified", str(listed))]
    rows += _audit(tables, ledgers)
    write_tsv(pl.DataFrame(rows, schema=["table", "check", "value"], orient="row"), audit_path)
    write_tables(tables, tables_dir)


def raw_cdm_files(root: Path, tables_dir: Path) -> dict[str, checksums.Entry]:
    """Size, time and SHA-256 of every file of the folder that is read, remembered beside the tables."""
    return checksums.manifest(cdm_files(root).values(), tables_dir / checksums.CACHE)


def cdm_class(root: Path, config: LacdmConfig) -> DataClass:
    """`synthetic` where the generator marked the folder, else what the configuration says."""
    return data_class(root, config.data_class)


def _read(
    root: Path, files: Mapping[str, Path], config: LacdmConfig
) -> tuple[dict[str, pl.DataFrame], dict[str, Ledger]]:
    if form_of(root) == "pickles":
        return read_pickles(files), {}
    return read_official(files, config.max_bad_share)


def _check_labels(tables: Mapping[str, pl.DataFrame], files: Mapping[str, Path]) -> None:
    """Every admission of the shown tables has a label, and every label a history."""
    labelled = tables["labels"].select("hadm_id")
    where = files.get("pathology_ids") or next(iter(files.values())).parent
    for name in ("history", "examination", "laboratory", "radiology"):
        unknown = tables[name].join(labelled, on="hadm_id", how="anti").height
        if unknown:
            raise DataError(f"{where}: {unknown} rows of {name} belong to an admission without a condition")
    told = labelled.join(tables["history"], on="hadm_id", how="anti").height
    if told:
        raise DataError(f"{where}: {told} admissions with a condition have no history")


def _audit(tables: Mapping[str, pl.DataFrame], ledgers: Mapping[str, Ledger]) -> Iterator[Row]:
    for name, ledger in ledgers.items():
        yield from ((name, check, str(count)) for check, count in ledger.rows())
        if ledger.extra_columns:
            yield name, "columns nobody asked for", ", ".join(ledger.extra_columns)
    for name in SCHEMAS:
        yield name, "rows", str(tables[name].height if name in tables else 0)
