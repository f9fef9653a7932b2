"""Training, validation and test: reads the split files beside the records and writes one row per visit."""

import argparse
import sys
from pathlib import Path

from tirec import frontend
from tirec.cohort.splits import build_splits, count_splits, empty_splits
from tirec.config.cohort import CohortConfig
from tirec.errors import EmptyError
from tirec.provenance import record, write_parquet, write_tsv
from tirec.records.schema import Tables
from tirec.records.split_files import read_split_files


def main() -> None:
    """Writes splits.parquet and says how many visits each split holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, type=Path, help="folder of the records, which holds the split files")
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--output", required=True, type=Path, help="splits.parquet")
    parser.add_argument("--audit", type=Path, help="counts per split (tsv)")
    parser.add_argument("--settings", help="the configuration section `cohort`: JSON, or a YAML or JSON file")
    parser.add_argument("--data-class", default="credentialed", choices=("credentialed", "open", "synthetic"))
    given = parser.parse_args()
    config = frontend.read_settings(CohortConfig, given.settings).splits
    visits = Tables.open(given.tables).visits.select("csn", "mrn", "row").collect()
    files = read_split_files(given.root, config.family)
    splits = build_splits(visits, files, config)
    counts = count_splits(visits, files, splits)
    for name in empty_splits(splits):
        if given.data_class != "open":
            raise EmptyError(f"{given.root}: no visit is in the {config.family} split {name}")
        print(f"note: the split {name} is empty", file=sys.stderr)
    print("; ".join(f"{check} {n}" for check, n in counts.iter_rows()), file=sys.stderr)
    write_parquet(splits, given.output)
    if given.audit:
        write_tsv(counts, given.audit)
    record([given.output], {"visits": given.tables / "visits.parquet"}, config.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
