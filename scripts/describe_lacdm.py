"""What LA-CDM's policies do on the test cases: first tests, stated confidences, adherence to guidelines."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.lacdm_consult import ConsultConfig
from tirec.evaluation.intervals import rounded
from tirec.lacdm.habits import of_models
from tirec.lacdm.menu import read_menu
from tirec.lacdm.predictions import read_predictions
from tirec.provenance import record, write_tsv


def main() -> None:
    """Writes first_tests.tsv, reliability.tsv and adherence.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--predictions", required=True, type=Path, nargs="+", help="predictions/{model}/test.parquet")
    parser.add_argument("--hypotheses", type=Path, nargs="*", default=[], help="hypotheses/{model}/test.parquet")
    parser.add_argument("--rules", help="menu, switches, limits, agents: JSON or a file")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder results/lacdm")
    given = parser.parse_args()
    rules = frontend.read_settings(ConsultConfig, given.rules)
    menu = read_menu(rules.menu_file(), rules.switches)
    predictions = {path.parent.name: read_predictions(path) for path in given.predictions}
    hypotheses = {path.parent.name: pl.read_parquet(path) for path in given.hypotheses}
    outputs = []
    for name, table in of_models(predictions, hypotheses, menu).items():
        outputs.append(given.output_dir / f"{name}.tsv")
        write_tsv(rounded(table), outputs[-1])
    inputs = {"/".join(path.parts[-3:]): path for path in (*given.predictions, *given.hypotheses)}
    record(outputs, inputs | {"menu": rules.menu_file()}, rules.model_dump(mode="json"), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
