"""Deals the admissions of MIMIC-CDM out to training, validation and test."""

from pathlib import Path

from tirec import frontend
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.records.tables import read_tables
from tirec.lacdm.splits import deal
from tirec.provenance import record, write_parquet


def main() -> None:
    """Writes splits.parquet: case_id, hadm_id, patient, condition, age, sex, split."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the tables")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="splits.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    tables = read_tables(given.tables, "labels", "people")
    real = given.data_class != "synthetic"
    write_parquet(deal(tables["labels"], tables["people"], config, real=real), given.output)
    inputs = {name: given.tables / f"{name}.parquet" for name in tables}
    record([given.output], inputs, config.model_dump(by_alias=True), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
