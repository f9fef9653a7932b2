"""One cost-aware tabular policy of LA-CDM over laboratory panels: one policy per penalty, the best on validation."""

import sys
from pathlib import Path

import polars as pl
import torch
from tqdm import tqdm

from tirec import frontend
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.menu import read_menu
from tirec.lacdm.predictions import write_predictions
from tirec.lacdm.records.tables import read_tables
from tirec.lacdm.tabular import ed_copilot, sm_ddpo
from tirec.lacdm.tabular.lab_cases import lab_cases
from tirec.lacdm.tabular.ordering import EVALUATED, Setup, best, frontier, outcomes, predictions
from tirec.provenance import record, write_tsv

MODELS = {"sm_ddpo": sm_ddpo, "ed_copilot": ed_copilot}


def main() -> None:
    """Writes {validation,test}.parquet and frontier.tsv of one model."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--model", required=True, choices=sorted(MODELS))
    parser.add_argument("--features", required=True, type=Path, help="features.parquet")
    parser.add_argument("--tables", required=True, type=Path, help="folder of the tables")
    parser.add_argument("--menu", required=True, type=Path, help="menu.yaml")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of the predictions of this model")
    parser.add_argument("--frontier", required=True, type=Path, help="frontier.tsv")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    torch.set_num_threads(1)  # the networks are too small to share
    menu = read_menu(given.menu, config.switches)
    cases = lab_cases(pl.read_parquet(given.features), read_tables(given.tables, "items")["items"], menu)
    model = MODELS[given.model]
    setup = Setup(menu, config.switches.unavailable != "free", model.ONLY_PERFORMED)
    played = outcomes(cases, model.senses(cases, config.tabular), setup, config.tabular)
    found = list(tqdm(played, total=len(config.tabular.penalties), unit="penalty", mininterval=5, file=sys.stderr))
    chosen = best(cases, found)
    outputs = {split: given.output_dir / f"{split}.parquet" for split in EVALUATED}
    for split, path in outputs.items():
        write_predictions(predictions(cases, chosen, split), path)
    write_tsv(frontier(cases, found, chosen), given.frontier)
    inputs = {"features": given.features, "items": given.tables / "items.parquet", "menu": given.menu}
    written = [*outputs.values(), given.frontier]
    record(written, inputs, config.model_dump(by_alias=True), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
