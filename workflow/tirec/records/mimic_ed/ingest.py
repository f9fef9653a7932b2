"""MIMIC-IV-ED's files read once each, mapped onto the eight tables and written as Parquet."""

from pathlib import Path

import polars as pl

from tirec.config.data import DataConfig
from tirec.records import checksums
from tirec.records.folder import data_class
from tirec.records.mimic_ed import events, stays
from tirec.records.mimic_ed.audit import mapping_audit
from tirec.records.mimic_ed.files import SPECS as FILES
from tirec.records.mimic_ed.files import data_folder, source_files
from tirec.records.mimic_ed.labs import labs
from tirec.records.mimic_ed.reading import Source
from tirec.records.reading import open_ledger, publish, staged, write_table
from tirec.records.schema import SPECS, Tables


def ingest(root: Path, tables_dir: Path, audit_path: Path, config: DataConfig) -> None:
    """Reads the folder `root` into `tables_dir/<table>.parquet` and says in `audit_path` what became of each row.

    A table without a counterpart in MIMIC-IV-ED is written without rows, and the audit says so. Raises DataError with
    the file, column and row where a file is missing, damaged or breaks its format.
    """
    files = source_files(root, config)
    source = Source({name: open_ledger(FILES[name], path) for name, path in files.items()}, config.max_bad_share)
    listed = checksums.verify(root, data_folder(root), raw_files(root, tables_dir, config))
    tables = _tables(source, config)
    found = mapping_audit(Tables.of(tables), source, listed, data_class(root, config.data_class))
    with staged(tables_dir) as stage:
        for name, frame in tables.items():
            write_table(SPECS[name], [frame] if len(frame) else [], stage)
        publish(stage, tables_dir, found, audit_path)


def raw_files(root: Path, tables_dir: Path, config: DataConfig) -> dict[str, checksums.Entry]:
    """Size, time and SHA-256 of the files by name, read once and remembered beside the tables."""
    return checksums.manifest(source_files(root, config).values(), tables_dir / checksums.CACHE)


def _tables(source: Source, config: DataConfig) -> dict[str, pl.DataFrame]:
    """The eight tables; `rads` and `waveform_summary` have no counterpart."""
    came = stays.read_stays(source)
    triage = stays.read_triage(source, came)
    diagnoses = stays.read_diagnoses(source, came)
    times = came.select("csn", "mrn", "arrival", "departure")
    made = {
        "visits": stays.visits(source, came, triage, diagnoses),
        "orders": events.orders(source, times),
        "labs": labs(source, times, config.lab_delay_minutes * 60),
        "numerics": events.numerics(source, times, triage),
        "meds": events.meds(source, times),
        "pmh": events.history(diagnoses),
    }
    return {name: made.get(name, spec.empty()) for name, spec in SPECS.items()}
