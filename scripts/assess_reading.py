"""What reading is worth: AUROC of every model on the same random groups of the same patients."""

from pathlib import Path

from tirec import frontend
from tirec.analysis.arms import Ground, by_policy, curves, read_arms
from tirec.analysis.reading import read_drawn, reading_table
from tirec.config.evaluation import EvaluationConfig
from tirec.provenance import placed, record, write_tsv


def main() -> None:
    """Writes studies/reading.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--random", required=True, type=Path, nargs="+", help="studies/reading/{model}.parquet")
    parser.add_argument("--drawn", required=True, type=Path, help="studies/drawn.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="studies/reading.tsv")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    ground = Ground.read(read_drawn(given.drawn)["instance_id"], given.instances, rules)
    metrics = ("auroc", "brier", "unanswered")
    found = {path.stem: curves(read_arms(path), ground, metrics) for path in given.random}
    write_tsv(reading_table(by_policy(found, rules), ground, rules), given.output)
    inputs = placed([*given.random, given.drawn, *given.instances])
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
