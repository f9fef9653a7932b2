"""The subgroup figure of one model, from its table."""

from pathlib import Path

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.comparisons import split_model
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.figures.subgroups import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/subgroups.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--table", required=True, type=Path, help="subgroups/{model}.tsv")
    parser.add_argument("--output", required=True, type=Path, help="subgroups.pdf; the .png lies beside it")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    table = read_table(given.table, ("task", "attribute", "level", "metric", "gap", "note"))
    save(draw(table, split_model(given.table.stem)[0], rules.confidence), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    record(outputs, {given.table.name: given.table}, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
