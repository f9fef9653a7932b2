"""One self-contained file of cases per split: view, observations, label, teacher risk and reference set."""

import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent import cases
from tirec.config.cohort import INSTANCE_SETS, SETTINGS, SPLITS, TASKS
from tirec.provenance import record
from tirec.records.small_counts import Counts
from tirec.records.stored import read_alike, read_stored
from tirec.teacher import reference_sets


def main() -> None:
    """Writes {train,validation,test}.arrow."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--results", required=True, type=Path, help="folder of the study's results so far")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of {split}.arrow")
    given = parser.parse_args()
    results = given.results
    references = reference_sets.read(results / "reference_sets.tsv")
    for split in SPLITS:
        frames = (frame for task in TASKS for frame in _of_task(results, task, references, split))
        cases.write(frames, given.output_dir / f"{split}.arrow")
        held = len(cases.open_cases(given.output_dir / f"{split}.arrow"))
        print(f"{split}: {Counts.of(given.data_class).text(held)} cases", file=sys.stderr)
    outputs = [given.output_dir / f"{split}.arrow" for split in SPLITS]
    record(outputs, _inputs(results), {}, given.data_class, __file__)


def _inputs(results: Path) -> dict[str, Path]:
    """Every file that is read, by its place below the results."""
    per_task = ("sampled/{}.parquet", "observations/{}.parquet", "teachers/{}/risk.parquet")
    names = [pattern.format(task) for pattern in per_task for task in TASKS]
    names += [f"instances/{task}/{setting}.parquet" for task, setting in INSTANCE_SETS]
    return {name: results / name for name in [*names, "reference_sets.tsv"]}


def _of_task(results: Path, task: str, references: dict[str, tuple[str, ...]], split: str) -> list[pl.DataFrame]:
    sampled = read_stored(results / "sampled" / f"{task}.parquet", ("instance_id", "evidence_id", "split"))
    common = ("instance_id", "task", "setting", "cutoff_s", "split", "half", "label")
    known = read_alike((results / "instances" / task / f"{name}.parquet" for name in SETTINGS[task]), common, only=True)
    observations = {task: read_stored(results / "observations" / f"{task}.parquet", ("evidence_id", "initial_view"))}
    risk = read_stored(results / "teachers" / task / "risk.parquet", ("instance_id", "p"))
    return list(cases.build(sampled, known, observations, risk, references, split))


if __name__ == "__main__":
    frontend.run(main)
