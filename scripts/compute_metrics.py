"""One model's metrics with intervals: thresholds from validation half B, values from test."""

import argparse
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent import trajectories
from tirec.config.evaluation import EvaluationConfig
from tirec.errors import ConfigError
from tirec.evaluation.matching import match_scores, stated_numbers
from tirec.evaluation.model_metrics import Benchmark, metrics_table
from tirec.evaluation.outcomes import read_predictions
from tirec.provenance import placed, record, write_tsv
from tirec.records.stored import read_table
from tirec.teacher.reference_sets import read as read_reference_sets


def main() -> None:
    """Writes metrics/{model}.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--validation", required=True, type=Path, help="predictions/{model}/validation.parquet")
    parser.add_argument("--test", required=True, type=Path, help="predictions/{model}/test.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--trajectories", type=Path, help="trajectories/{model}/test.jsonl.zst, where the model calls")
    parser.add_argument("--reference-sets", type=Path, help="reference_sets.tsv, with --trajectories")
    parser.add_argument("--numeric-check", type=Path, help="numeric_check/{model}.tsv, with --trajectories")
    parser.add_argument("--output", required=True, type=Path, help="metrics/{model}.tsv")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    episodes = _episodes(given) if given.trajectories else None
    benchmark = Benchmark.read(given.instances, given.sampled)
    table = metrics_table(benchmark, *map(read_predictions, (given.validation, given.test)), episodes, rules)
    write_tsv(table, given.output)
    record([given.output], _inputs(given), rules.model_dump(), given.data_class, __file__)


def _episodes(given: argparse.Namespace) -> pl.DataFrame:
    """instance_id, match, p_lenient of the saved episodes, and the numbers stated in them where those were checked."""
    if not given.reference_sets:
        raise ConfigError("--trajectories needs --reference-sets too: the functions called are compared with them")
    matched = match_scores(trajectories.read(given.trajectories), read_reference_sets(given.reference_sets))
    if not given.numeric_check:
        return matched
    checked = stated_numbers(read_table(given.numeric_check, ("instance_id",)))
    return matched.join(checked, on="instance_id", how="left")


def _inputs(given: argparse.Namespace) -> dict[str, Path]:
    """Every file that was read, by its place below the results."""
    calls = [given.trajectories, given.reference_sets, given.numeric_check] if given.trajectories else []
    read = [given.validation, given.test, *calls, *given.instances, *given.sampled]
    return placed(read)


if __name__ == "__main__":
    frontend.run(main)
