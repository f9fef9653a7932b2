"""The reference set of each task: the rewardable functions that carry its teacher."""

import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.teacher import TeacherConfig
from tirec.evidence.menu import REWARDABLE
from tirec.provenance import record, write_tsv
from tirec.records.stored import read_table
from tirec.teacher.reference_sets import KINDS, build, empty_tasks, sensitivity

GAINS = {"function": pl.String, "gain": pl.Float64}
IMPORTANCES = {"function": pl.String, **dict.fromkeys(KINDS, pl.Float64)}


def main() -> None:
    """Writes reference_sets.tsv and, beside it, the sets under other importances and gammas."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--importance", required=True, type=Path, nargs="+", help="teachers/{task}/importance.tsv")
    parser.add_argument("--by-function", required=True, type=Path, nargs="+", help="…/importance_by_function.tsv")
    parser.add_argument("--output", required=True, type=Path, help="reference_sets.tsv")
    parser.add_argument("--output-sensitivity", required=True, type=Path, help="the sets under others (tsv)")
    parser.add_argument("--settings", help="the configuration section `teacher`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(TeacherConfig, given.settings)
    inputs = {path.parent.name: path for path in given.importance}
    importance = {task: read_table(path, GAINS, GAINS) for task, path in inputs.items()}
    sets = build(importance, REWARDABLE, rules)
    for task in empty_tasks(sets):
        print(f"note: {task}: the tree made no split on a rewardable function; its match reward is 0", file=sys.stderr)
    write_tsv(sets, given.output)
    kinds = {path.parent.name: read_table(path, IMPORTANCES, IMPORTANCES) for path in given.by_function}
    write_tsv(sensitivity(kinds, REWARDABLE, rules), given.output_sensitivity)
    inputs |= {f"{path.parent.name}, by function": path for path in given.by_function}
    record([given.output, given.output_sensitivity], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
