"""The fixed list of one task's instances that the agent trains on, selects by, sets thresholds on and is tested on."""

import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.cohort.instances import KEYS
from tirec.cohort.sampling import sample_instances, shortfalls
from tirec.config.cohort import CohortConfig
from tirec.errors import EmptyError
from tirec.provenance import placed, record, write_parquet
from tirec.records.small_counts import Counts
from tirec.records.stored import read_alike


def main() -> None:
    """Writes sampled/{task}.parquet and says where fewer instances exist than were asked for."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the instance files of one task")
    parser.add_argument("--output", required=True, type=Path, help="sampled/{task}.parquet")
    parser.add_argument("--settings", help="the configuration section `cohort`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    config = frontend.read_settings(CohortConfig, given.settings).sampling
    sampled = sample_instances(read_alike(given.instances, KEYS), config)
    if sampled.filter(pl.col("role") == "train").is_empty():
        raise EmptyError(f"{given.output.stem}: no instance to train on")
    for sentence in shortfalls(sampled, config, Counts.of(given.data_class)):
        print(f"note: {given.output.stem} {sentence}", file=sys.stderr)
    write_parquet(sampled, given.output)
    inputs = placed(given.instances)
    record([given.output], inputs, config.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
