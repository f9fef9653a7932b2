"""The ablation table: every model beside the reference on the same test cases, paired over patients and seeds."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.agent import trajectories
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.ablation_scores import read_measured, score_models, selected_steps
from tirec.evaluation.comparisons import ablation_table, by_policy
from tirec.evaluation.matching import match_scores
from tirec.evaluation.model_metrics import Benchmark
from tirec.evaluation.model_table import mark_table
from tirec.provenance import placed, record, write_tsv
from tirec.teacher.reference_sets import read as read_reference_sets


def main() -> None:
    """Writes ablations.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--models", required=True, nargs="+", help="names in the table's order: full.seed0, …, teacher")
    parser.add_argument("--predictions", required=True, type=Path, nargs="+", help="predictions/{model}/test.parquet")
    parser.add_argument("--metrics", required=True, type=Path, nargs="+", help="metrics/{model}.tsv: the thresholds")
    parser.add_argument("--trajectories", type=Path, nargs="*", default=[], help="trajectories/{model}/test.jsonl.zst")
    parser.add_argument(
        "--policies", type=Path, nargs="*", default=[], help="policies/{policy}/seed{n}/{task}/policy.json"
    )
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--reference-sets", required=True, type=Path, help="reference_sets.tsv")
    parser.add_argument("--output", required=True, type=Path, help="ablations.tsv")
    parser.add_argument("--output-marks", type=Path, help="ablations_marks.tsv: best and second, where that holds")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    references = read_reference_sets(given.reference_sets)
    match = {path.parent.name: match_scores(trajectories.read(path), references) for path in given.trajectories}
    models = read_measured(given.models, given.predictions, given.metrics, match)
    scores = score_models(models, Benchmark.read(given.instances, given.sampled), rules)
    write_tsv(ablation_table(scores, selected_steps(given.policies), rules), given.output)
    if given.output_marks:
        write_tsv(mark_table(by_policy(scores), rules), given.output_marks)
    record([given.output], _inputs(given), rules.model_dump(), given.data_class, __file__)


def _inputs(given: argparse.Namespace) -> dict[str, Path]:
    """Every file that was read, by its place below the results."""
    read = [*given.predictions, *given.trajectories, *given.instances, *given.sampled, given.reference_sets]
    named = placed([*read, *given.metrics])
    return named | {"/".join(path.parts[-4:]): path for path in given.policies}


if __name__ == "__main__":
    frontend.run(main)
