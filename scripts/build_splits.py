"""Training, validation and test: one row per visit, by the split files beside the records or by a seeded draw."""

import argparse
import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.cohort.splits import build_splits, count_splits, draw_splits, empty_splits
from tirec.config.cohort import CohortConfig, SplitConfig
from tirec.errors import EmptyError
from tirec.provenance import record, write_parquet, write_tsv
from tirec.records.folder import data_folder
from tirec.records.formats import SHIPS_SPLITS
from tirec.records.schema import Tables
from tirec.records.small_counts import Counts
from tirec.records.split_files import read_split_files, split_paths


def main() -> None:
    """Writes splits.parquet and says how many visits each split holds."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--root", required=True, type=Path, help="folder of the records, which holds the split files")
    parser.add_argument("--format", default="mcmed", choices=("mcmed", "mimic_ed"), help="format of the records")
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--output", required=True, type=Path, help="splits.parquet")
    parser.add_argument("--audit", type=Path, help="counts per split (tsv)")
    parser.add_argument("--settings", help="the configuration section `cohort`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    config = frontend.read_settings(CohortConfig, given.settings).splits
    visits = Tables.open(given.tables).visits.select("csn", "mrn", "row").collect()
    files = _placed(visits, given.root, given.format, config)
    splits = build_splits(visits, files, config)
    counts = count_splits(visits, files, splits)
    for name in empty_splits(splits):
        if given.data_class != "open":
            raise EmptyError(f"{given.root}: no visit is in the split {name}")
        print(f"note: the split {name} is empty", file=sys.stderr)
    written = Counts.of(given.data_class)
    print("; ".join(f"{check} {written.text(n)}" for check, n in counts.iter_rows()), file=sys.stderr)
    write_parquet(splits, given.output)
    if given.audit:
        write_tsv(counts, given.audit)
    inputs = {"visits": given.tables / "visits.parquet"} | {path.name: path for path in _shipped(given, config)}
    record([given.output], inputs, config.model_dump(), given.data_class, __file__)


def _shipped(given: argparse.Namespace, config: SplitConfig) -> list[Path]:
    """The split files beside the records, where they are what divides the visits."""
    if config.family == "hash" or given.format not in SHIPS_SPLITS:
        return []
    return split_paths(data_folder(given.root), config.family)


def _placed(visits: pl.DataFrame, root: Path, records: str, config: SplitConfig) -> pl.DataFrame:
    if config.family != "hash" and records in SHIPS_SPLITS:
        return read_split_files(root, config.family)
    if config.family != "hash":
        print(f"note: {records} ships no split files; patients are divided by a seeded draw", file=sys.stderr)
    return draw_splits(visits, config)


if __name__ == "__main__":
    frontend.run(main)
