"""Reads a records folder into eight typed tables and writes what was read, kept and set aside."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.config.data import DataConfig
from tirec.provenance import record
from tirec.records import formats
from tirec.records.folder import data_class, locate_root
from tirec.records.schema import SPECS


def main() -> None:
    """Writes tables/<table>.parquet and audit/ingest.tsv."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", help="folder of the records (default: data.root of the settings, then MCMED_ROOT)")
    parser.add_argument("--settings", help="the configuration section `data`: JSON, or a YAML or JSON file")
    parser.add_argument("--tables", required=True, type=Path, help="folder that takes the eight tables")
    parser.add_argument("--audit", required=True, type=Path, help="ingest.tsv")
    given = parser.parse_args()
    config = frontend.read_settings(DataConfig, given.settings)
    if given.root:
        config = config.model_copy(update={"root": given.root})
    root = locate_root(config)
    formats.ingest(root, given.tables, given.audit, config)
    outputs = [given.tables / f"{name}.parquet" for name in SPECS] + [given.audit]
    files = formats.raw_files(root, given.tables, config)
    record(outputs, {}, config.model_dump() | {"files": files}, data_class(root, config.data_class), __file__)


if __name__ == "__main__":
    frontend.run(main)
