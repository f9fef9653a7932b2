"""One alternative to the study's choices for one task: its cohort, its teacher, its scores and its reference set.

python scripts/fit_alternative.py --task revisit --tables results/tables --splits results/splits.parquet
    [--instances results/instances/revisit/*.parquet --features results/features/revisit.parquet]
    --settings SETTINGS --output-scores FILE --output-set FILE
"""

from pathlib import Path
from typing import get_args

from tirec import frontend
from tirec.analysis.sensitivity import Known, alternative_rows, fit_teacher, reference_set, scores
from tirec.config.cohort import Task
from tirec.config.sensitivity import AlternativeConfig
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.provenance import record, write_tsv
from tirec.records.schema import Tables
from tirec.records.stored import SPLITS, read_alike, read_stored


def main() -> None:
    """Writes the scores per setting and the reference set."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--task", required=True, choices=get_args(Task))
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--splits", required=True, type=Path, help="splits.parquet")
    parser.add_argument("--instances", type=Path, nargs="*", help="the study's instance files of this task")
    parser.add_argument("--features", type=Path, help="the study's features of this task, where they still hold")
    parser.add_argument("--settings", help="cohort, evidence and teacher of the alternative: JSON, or a file")
    parser.add_argument("--output-scores", required=True, type=Path, help="counts and AUROC per setting (tsv)")
    parser.add_argument("--output-set", required=True, type=Path, help="the reference set (tsv)")
    given = parser.parse_args()
    config = frontend.read_settings(AlternativeConfig, given.settings)
    tables, splits = Tables.open(given.tables), read_stored(given.splits, SPLITS)
    rows = alternative_rows(given.task, tables, splits, config, _known(given.instances, given.features))
    teacher = fit_teacher(rows, config.teacher)
    write_tsv(scores(rows.keys, teacher.risk, given.task, config.draws), given.output_scores)
    write_tsv(reference_set(given.task, teacher.importance, config.teacher), given.output_set)
    inputs = {"splits": given.splits} | {f"tables/{path.name}": path for path in sorted(given.tables.glob("*.parquet"))}
    record([given.output_scores, given.output_set], inputs, config.model_dump(), given.data_class, __file__)


def _known(instances: list[Path] | None, features: Path | None) -> Known | None:
    if not instances or not features:
        return None
    cutoffs = read_alike(instances, CUTOFF_COLUMNS, only=True).unique()
    return Known(cutoffs, read_stored(features, ["evidence_id"]))


if __name__ == "__main__":
    frontend.run(main)
