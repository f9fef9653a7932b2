"""The audit of MIMIC-CDM: counts, availability by condition, and every known leak, as a table and as a page."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.cohort import SPLITS
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.audit.checks import audit
from tirec.lacdm.audit.page import audit_page
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.menu import read_menu
from tirec.lacdm.predictions import read_predictions
from tirec.lacdm.records.tables import SCHEMAS, read_tables
from tirec.provenance import record, write_text, write_tsv

FLOORS = ("prevalence", "availability_only", "demographics_only", "history_length_only")


def main() -> None:
    """Writes audit.tsv and index.html."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--results", required=True, type=Path, help="folder of LA-CDM's results so far")
    parser.add_argument("--menu", required=True, type=Path, help="menu.yaml")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--table", required=True, type=Path, help="audit.tsv")
    parser.add_argument("--page", required=True, type=Path, help="index.html")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    results, menu = given.results, read_menu(given.menu, config.switches)
    cases = [open_cdm_cases(results / "episodes" / f"{split}.arrow") for split in SPLITS]
    floors = {name: read_predictions(results / "predictions" / name / "validation.parquet") for name in FLOORS}
    splits = pl.read_parquet(results / "splits.parquet")
    found = audit(read_tables(results / "tables", *SCHEMAS), splits, cases, floors, menu, config)
    write_tsv(found, given.table)
    write_text(audit_page(found, config, given.data_class), given.page)
    inputs = {"splits": results / "splits.parquet", "menu": given.menu}
    record([given.table, given.page], inputs, config.model_dump(by_alias=True), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
