"""Summarises the histories of MIMIC-CDM with a local model, for agents that start from a summary."""

import sys
from pathlib import Path

import polars as pl
from tqdm import tqdm

from tirec import frontend
from tirec.config.lacdm import SummaryConfig
from tirec.lacdm.summaries import Summariser, summaries
from tirec.policy.hf import load_model
from tirec.provenance import record, write_parquet


def main() -> None:
    """Writes summaries.parquet: hadm_id, summary."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--history", required=True, type=Path, help="history.parquet")
    parser.add_argument("--home", required=True, type=Path, help="the repository, from which the prompt's path counts")
    parser.add_argument("--settings", help="the configuration section `lacdm.summary`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="summaries.parquet")
    given = parser.parse_args()
    rules = frontend.read_settings(SummaryConfig, given.settings)
    model, tokenizer = load_model(Path(rules.model), rules.device, rules.dtype)
    summariser = Summariser(model, tokenizer, given.home / rules.prompt, rules)
    history = pl.read_parquet(given.history)
    with tqdm(total=history.height, unit="history", mininterval=5, file=sys.stderr) as bar:
        parts = []
        for part in summaries(summariser, history, rules.batch):
            parts.append(part)
            bar.update(part.height)
    write_parquet(pl.concat(parts).sort("hadm_id"), given.output)
    record([given.output], {"history": given.history}, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
