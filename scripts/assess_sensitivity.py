"""Every unstated choice against its alternatives: one table and one page.

python scripts/assess_sensitivity.py --instances results/instances/*/*.parquet --risk results/teachers/*/risk.parquet
    --sets results/reference_sets.tsv --alternatives results/sensitivity/*/*/scores.tsv --settings SETTINGS
    --output results/sensitivity.tsv --output-page results/sensitivity.html
"""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.analysis.decisions import alternatives
from tirec.analysis.sensitivity import Assessed, compare, scores
from tirec.config.cohort import TASKS
from tirec.config.sensitivity import AlternativeConfig
from tirec.provenance import record, write_text, write_tsv
from tirec.records.stored import read_alike, read_table
from tirec.report.sensitivity_page import sensitivity_page
from tirec.teacher import reference_sets
from tirec.teacher.rows import KEYS


def main() -> None:
    """Writes sensitivity.tsv and sensitivity.html."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--risk", required=True, type=Path, nargs="+", help="the study's teachers/{task}/risk.parquet")
    parser.add_argument("--sets", required=True, type=Path, help="the study's reference_sets.tsv")
    parser.add_argument("--alternatives", type=Path, nargs="*", default=[], help="{alternative}/{task}/scores.tsv")
    parser.add_argument("--settings", help="cohort, evidence and teacher of the study: JSON, or a file")
    parser.add_argument("--output", required=True, type=Path, help="sensitivity.tsv")
    parser.add_argument("--output-page", required=True, type=Path, help="sensitivity.html")
    given = parser.parse_args()
    config = frontend.read_settings(AlternativeConfig, given.settings)
    keys = read_alike(given.instances, KEYS, only=True)
    risk = read_alike(given.risk, ("instance_id", "p"), only=True)
    sets = reference_sets.read(given.sets)
    own = {
        task: Assessed(scores(keys.filter(pl.col("task") == task), risk, task, config.draws), sets[task])
        for task in TASKS
    }
    others = {(path.parents[1].name, path.parent.name): _assessed(path) for path in given.alternatives}
    names = {other.name: (other.decision.name, str(other.value)) for other in alternatives(config)}
    table = compare(own, others, names)
    write_tsv(table, given.output)
    write_text(sensitivity_page(table, given.data_class), given.output_page)
    inputs = {str(path): path for path in [*given.instances, *given.risk, given.sets, *given.alternatives]}
    record([given.output, given.output_page], inputs, config.model_dump(), given.data_class, __file__)


def _assessed(path: Path) -> Assessed:
    """One alternative from its scores and the reference set beside them."""
    members = reference_sets.read(path.with_name("reference_set.tsv"))
    return Assessed(read_table(path, _FLOATS, _FLOATS), members[path.parent.name])


_FLOATS = dict.fromkeys(("prevalence", "auroc_train", "auroc_validation", "auroc_low", "auroc_high"), pl.Float64)


if __name__ == "__main__":
    frontend.run(main)
