"""One tabular model of LA-CDM without orders: a floor, or boosted trees on all laboratory values."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.menu import read_menu
from tirec.lacdm.predictions import write_predictions
from tirec.lacdm.tabular.trees import COLUMNS, tree_predictions
from tirec.provenance import record

SPLITS = ("validation", "test")


def main() -> None:
    """Writes {validation,test}.parquet of one model."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--model", required=True, choices=sorted(COLUMNS))
    parser.add_argument("--features", required=True, type=Path, help="features.parquet")
    parser.add_argument("--menu", required=True, type=Path, help="menu.yaml")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of the predictions of this model")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    menu = read_menu(given.menu, config.switches)
    told = tree_predictions(pl.read_parquet(given.features), given.model, menu, config.tabular)
    outputs = {split: given.output_dir / f"{split}.parquet" for split in SPLITS}
    for split, path in outputs.items():
        write_predictions(told.filter(pl.col("split") == split), path)
    inputs = {"features": given.features, "menu": given.menu}
    record([*outputs.values()], inputs, config.model_dump(by_alias=True), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
