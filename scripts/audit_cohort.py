"""Exclusions with their reasons, prevalence per set and split, and what was kept although someone might ask."""

from pathlib import Path

from tirec import frontend
from tirec.cohort.audit import count_exclusions, count_flags, count_prevalence
from tirec.cohort.instances import KEYS
from tirec.config.cohort import INSTANCE_SETS, TASKS
from tirec.provenance import placed, record, write_tsv
from tirec.records.stored import read_alike, read_stored

FATES = ("task", "setting", "csn", "reason")
COUNTED = ("task", "setting", "split", "label")


def main() -> None:
    """Writes the audit tables of all nine instance sets."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--instances-dir", required=True, type=Path, help="folder of {task}/{setting}.parquet")
    parser.add_argument("--exclusions", required=True, type=Path, help="audit/exclusions.tsv")
    parser.add_argument("--prevalence", required=True, type=Path, help="audit/prevalence.tsv")
    parser.add_argument("--flags", type=Path, help="audit/flags.tsv")
    given = parser.parse_args()
    sets = [given.instances_dir / task / f"{setting}.parquet" for task, setting in INSTANCE_SETS]
    fates = [given.instances_dir / task / "exclusions.parquet" for task in TASKS]
    exclusions = count_exclusions(read_stored(path, FATES, only=True) for path in fates)
    prevalence = count_prevalence(read_alike(sets, COUNTED, only=True))
    flags = count_flags(read_stored(path, KEYS) for path in sets)
    write_tsv(exclusions, given.exclusions)
    write_tsv(prevalence, given.prevalence)
    if given.flags:
        write_tsv(flags, given.flags)
    inputs = placed((*sets, *fates))
    outputs = [path for path in (given.exclusions, given.prevalence, given.flags) if path]
    record(outputs, inputs, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
