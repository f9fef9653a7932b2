"""Reads MIMIC-CDM (CSV files or the framework's pickles) into typed tables and says what was read, kept, set aside."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.records.folder import locate_cdm
from tirec.lacdm.records.ingest import cdm_class, ingest_cdm, raw_cdm_files
from tirec.lacdm.records.tables import SCHEMAS
from tirec.provenance import record


def main() -> None:
    """Writes tables/**/*.parquet and audit/ingest.tsv."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", help="folder of MIMIC-CDM (default: lacdm.root of the settings, then MIMIC_CDM_ROOT)")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--tables", required=True, type=Path, help="folder that takes the tables")
    parser.add_argument("--audit", required=True, type=Path, help="ingest.tsv")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    if given.root:
        config = config.model_copy(update={"root": given.root})
    root = locate_cdm(config)
    ingest_cdm(root, given.tables, given.audit, config)
    outputs = [given.tables / f"{name}.parquet" for name in SCHEMAS] + [given.audit]
    settings = {"files": raw_cdm_files(root, given.tables)}
    record(outputs, {}, settings, cdm_class(root, config), __file__)


if __name__ == "__main__":
    frontend.run(main)
