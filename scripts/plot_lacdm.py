"""LA-CDM's figures from its tables."""

from pathlib import Path

from tirec import frontend
from tirec.lacdm import figures, habits
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.style import save


def main() -> None:
    """Writes frontier, reliability, first_tests and training, each .pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--table", required=True, type=Path, help="ablations.tsv")
    parser.add_argument("--reliability", required=True, type=Path, help="reliability.tsv")
    parser.add_argument("--first-tests", required=True, type=Path, help="first_tests.tsv")
    parser.add_argument("--models", required=True, nargs="+", help="models with a panel of first tests")
    parser.add_argument("--histories", required=True, type=Path, nargs="+", help="policies/{policy}/seed0/history.tsv")
    parser.add_argument("--output-dir", required=True, type=Path, help="folder of figures")
    given = parser.parse_args()
    histories = {path.parent.parent.name: read_table(path, ["step"]) for path in given.histories}
    stated = read_table(given.reliability, habits.RELIABILITY, habits.RELIABILITY)
    first = read_table(given.first_tests, habits.FIRST_TESTS, habits.FIRST_TESTS)
    drawn = {
        "frontier": figures.frontier(read_table(given.table, ["policy", "cost", "mean_accuracy"])),
        "reliability": figures.reliability(stated),
        "first_tests": figures.first_tests(first, given.models),
        "training": figures.training(histories),
    }
    outputs = [given.output_dir / f"{name}.pdf" for name in drawn]
    for figure, output in zip(drawn.values(), outputs, strict=True):
        save(figure, output)
    inputs = {path.name: path for path in (given.table, given.reliability, given.first_tests)}
    inputs |= {f"{path.parent.parent.name}/history.tsv": path for path in given.histories}
    record(outputs, inputs, {"models": given.models}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
