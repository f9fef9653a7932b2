"""The decision curve figure of some policies, from their tables."""

from pathlib import Path

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.comparisons import split_model
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.figures.decision_curve import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/decision_curve.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument(
        "--tables", required=True, type=Path, nargs="+", help="decision_curve/{model}.tsv, in the legend's order"
    )
    parser.add_argument("--output", required=True, type=Path, help="decision_curve.pdf; the .png lies beside it")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    tables = {
        split_model(path.stem)[0]: read_table(path, ("task", "threshold", "net_benefit", "flag_everyone"))
        for path in given.tables
    }
    save(draw(tables, rules.confidence), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    record(outputs, {path.name: path for path in given.tables}, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
