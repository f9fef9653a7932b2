"""One self-contained file of LA-CDM cases per split: initial text, every test's answer with its source rows, label."""

import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent.cases import write
from tirec.config.cohort import SPLITS
from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.assemble import READS, assemble, sampled
from tirec.lacdm.menu import read_menu
from tirec.lacdm.records.tables import read_tables
from tirec.provenance import record
from tirec.records.small_counts import Counts


def main() -> None:
    """Writes {train,validation,test}.arrow."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the tables")
    parser.add_argument("--splits", required=True, type=Path, help="splits.parquet")
    parser.add_argument("--menu", required=True, type=Path, help="menu.yaml")
    parser.add_argument("--summaries", type=Path, help="Parquet file of hadm_id and summary")
    parser.add_argument("--settings", help="the configuration section `lacdm`: JSON, or a YAML or JSON file")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of {split}.arrow")
    given = parser.parse_args()
    config = frontend.read_settings(LacdmConfig, given.settings)
    summaries = pl.read_parquet(given.summaries) if given.summaries else None
    menu = read_menu(given.menu, config.switches)
    cases = assemble(read_tables(given.tables, *READS), pl.read_parquet(given.splits), menu, config, summaries)
    outputs = {split: given.output_dir / f"{split}.arrow" for split in SPLITS}
    for split, path in outputs.items():
        chosen = sampled(cases, split, config)
        write([chosen], path)
        print(f"{split}: {Counts.of(given.data_class).text(chosen.height)} cases", file=sys.stderr)
    inputs = {name: given.tables / f"{name}.parquet" for name in READS}
    inputs |= {"splits": given.splits, "menu": given.menu}
    record([*outputs.values()], inputs, config.model_dump(by_alias=True), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
