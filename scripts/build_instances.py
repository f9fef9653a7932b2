"""The instances of one task, one file per cutoff or horizon, and why every other visit is not one."""

import sys
from pathlib import Path
from typing import get_args

from tirec import frontend
from tirec.cohort.instances import build_instances, write_cohort
from tirec.config.cohort import SETTINGS, CohortConfig, Task
from tirec.errors import EmptyError
from tirec.provenance import record
from tirec.records.schema import Tables
from tirec.records.small_counts import Counts
from tirec.records.stored import SPLITS, read_stored


def main() -> None:
    """Writes {setting}.parquet and exclusions.parquet of one task."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--task", required=True, choices=get_args(Task))
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--splits", required=True, type=Path, help="splits.parquet")
    parser.add_argument(
        "--output-dir", required=True, type=Path, help="folder of {setting}.parquet, exclusions.parquet"
    )
    parser.add_argument("--settings", help="the configuration section `cohort`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    config = frontend.read_settings(CohortConfig, given.settings)
    cohort = build_instances(given.task, Tables.open(given.tables), read_stored(given.splits, SPLITS), config)
    for setting in SETTINGS[cohort.task]:
        part = cohort.of(setting)
        if part.is_empty() and given.data_class != "open":
            raise EmptyError(f"{given.task} {setting}: no visit is eligible; see docs/data.md for the exclusions")
        print(f"{given.task} {setting}: {Counts.of(given.data_class).text(len(part))} instances", file=sys.stderr)
    write_cohort(cohort, given.output_dir)
    inputs = {"visits": given.tables / "visits.parquet", "splits": given.splits}
    if given.task == "decompensation":
        inputs["numerics"] = given.tables / "numerics.parquet"
    outputs = [given.output_dir / f"{name}.parquet" for name in (*SETTINGS[cohort.task], "exclusions")]
    record(outputs, inputs, config.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
