"""Columns of the LA-CDM cases for tabular models: laboratory numbers, what was performed, age, sex, history length."""

from pathlib import Path

from tirec import frontend
from tirec.config.cohort import SPLITS
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.menu import read_menu
from tirec.lacdm.records.tables import read_tables
from tirec.lacdm.tabular.features import build_features
from tirec.provenance import record, write_parquet


def main() -> None:
    """Writes features.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the tables")
    parser.add_argument("--episodes", required=True, type=Path, help="folder of {split}.arrow")
    parser.add_argument("--menu", required=True, type=Path, help="menu.yaml")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="features.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    cases = [open_cdm_cases(given.episodes / f"{split}.arrow") for split in SPLITS]
    tables = read_tables(given.tables, "laboratory", "history", "items")
    menu = read_menu(given.menu, config.switches)
    write_parquet(build_features(cases, *tables.values(), menu, config.tabular), given.output)
    inputs = {name: given.tables / f"{name}.parquet" for name in tables} | {"menu": given.menu}
    inputs |= {split: given.episodes / f"{split}.arrow" for split in SPLITS}
    record([given.output], inputs, config.model_dump(by_alias=True), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
