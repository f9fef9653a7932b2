"""The ablation figure: a forest plot of AUROC, average precision and F1 with their intervals."""

from pathlib import Path

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.figures.ablations import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/ablations.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--ablations", required=True, type=Path, help="ablations.tsv")
    parser.add_argument("--output", required=True, type=Path, help="ablations.pdf; the .png lies beside it")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    table = read_table(given.ablations, ("policy", "task"))
    save(draw(table, rules.reference, rules.confidence), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    record(outputs, {"ablations": given.ablations}, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
