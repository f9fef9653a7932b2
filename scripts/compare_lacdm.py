"""A table of LA-CDM models on the same test cases: values, intervals, paired differences to the reference policy."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.lacdm.predictions import read_predictions
from tirec.lacdm.table import Model, policy_table
from tirec.provenance import record, write_tsv


def main() -> None:
    """Writes ablations.tsv, or main.tsv, which has the tabular models too."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--predictions", required=True, type=Path, nargs="+", help="predictions/{model}/test.parquet")
    parser.add_argument("--hypotheses", type=Path, nargs="*", default=[], help="hypotheses/{model}/test.parquet")
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("--settings", help="lacdm.evaluation: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    stated = {path.parent.name: pl.read_parquet(path) for path in given.hypotheses}
    read = {path.parent.name: read_predictions(path) for path in given.predictions}
    models = {name: Model(predictions, stated.get(name)) for name, predictions in read.items()}
    write_tsv(policy_table(models, rules), given.output)
    inputs = {"/".join(path.parts[-3:]): path for path in (*given.predictions, *given.hypotheses)}
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
