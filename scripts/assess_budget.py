"""What choosing is worth: AUROC of groups a model chose, of random ones, and without a restriction."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.analysis.arms import Ground, by_policy, curves, read_arms
from tirec.analysis.budget import METRICS, budget_table, whole_arm
from tirec.analysis.reading import read_drawn
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.outcomes import read_predictions
from tirec.provenance import placed, record, write_tsv


def main() -> None:
    """Writes studies/budget.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--own", required=True, type=Path, nargs="+", help="studies/budget/{model}.parquet")
    parser.add_argument("--random", required=True, type=Path, nargs="+", help="studies/reading/{model}.parquet")
    parser.add_argument("--whole", required=True, type=Path, nargs="+", help="predictions/{model}/test.parquet")
    parser.add_argument("--drawn", required=True, type=Path, help="studies/drawn.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--calls", required=True, type=int, help="calls of the study's own protocol (K)")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="studies/budget.tsv")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    ground = Ground.read(read_drawn(given.drawn)["instance_id"], given.instances, rules)
    found = {}
    for own, random, whole in zip(given.own, given.random, given.whole, strict=True):
        arms = [read_arms(own), read_arms(random), whole_arm(read_predictions(whole), ground, given.calls)]
        shown = pl.concat(arm.select("instance_id", "arm", "k", "draw", "p", "calls") for arm in arms)
        found[own.stem] = curves(shown, ground, METRICS)
    write_tsv(budget_table(by_policy(found, rules), ground, rules), given.output)
    read = [*given.own, *given.random, *given.whole, given.drawn, *given.instances]
    inputs = placed(read)
    record([given.output], inputs, rules.model_dump() | {"calls": given.calls}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
