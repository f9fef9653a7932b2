"""What becomes of p when one observation says something else: change and sign, per function and model."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.analysis.arms import Ground, read_arms
from tirec.analysis.counterfactual import counterfactual_table
from tirec.analysis.edits import read_edits
from tirec.config.evaluation import EvaluationConfig
from tirec.provenance import placed, record, write_tsv


def main() -> None:
    """Writes counterfactual.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument(
        "--predictions", required=True, type=Path, nargs="+", help="studies/counterfactual/{model}.parquet"
    )
    parser.add_argument("--edits", required=True, type=Path, nargs="+", help="studies/edits/{task}.parquet, every task")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="counterfactual.tsv")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    sampled = pl.concat(read_edits(path) for path in given.edits)["instance_id"]
    ground = Ground.read(sampled, given.instances, rules)
    predictions = {path.stem: read_arms(path) for path in given.predictions}
    write_tsv(counterfactual_table(predictions, ground, rules), given.output)
    inputs = placed([*given.predictions, *given.edits, *given.instances])
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
