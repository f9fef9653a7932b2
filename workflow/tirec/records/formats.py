"""Which reader a records folder needs, by `data.format`: the one place that knows more than one format."""

from pathlib import Path

from tirec.config.data import DataConfig
from tirec.records import checksums, mcmed, mimic_ed
from tirec.records.folder import data_folder, table_files
from tirec.records.split_files import Kind, split_paths

SHIPS_SPLITS = frozenset({"mcmed"})
"""Formats whose folders hold split files."""


def ingest(root: Path, tables_dir: Path, audit_path: Path, config: DataConfig) -> None:
    """Reads the folder into eight typed tables and the audit; raises DataError for a fault in the files."""
    if config.format == "mimic_ed":
        mimic_ed.ingest(root, tables_dir, audit_path, config)
    else:
        mcmed.ingest(root, tables_dir, audit_path, config)


def raw_files(root: Path, tables_dir: Path, config: DataConfig) -> dict[str, checksums.Entry]:
    """Size, time and SHA-256 of every file that is read, remembered beside the tables."""
    if config.format == "mimic_ed":
        return mimic_ed.raw_files(root, tables_dir, config)
    return mcmed.raw_files(root, tables_dir)


def source_files(root: Path, config: DataConfig) -> dict[str, Path]:
    """Every file that the tables are made of, by name."""
    return mimic_ed.source_files(root, config) if config.format == "mimic_ed" else table_files(data_folder(root))


def split_files(root: Path, config: DataConfig, family: Kind) -> list[Path]:
    """The split files that the folder ships; none where its format has none."""
    return split_paths(data_folder(root), family) if config.format in SHIPS_SPLITS else []
