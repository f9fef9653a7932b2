"""The figure of reading: every model on the same random groups."""

from pathlib import Path

from tirec import frontend
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.figures.reading import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/reading.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--table", required=True, type=Path, help="studies/reading.tsv")
    parser.add_argument("--output", required=True, type=Path, help="reading.pdf; the .png lies beside it")
    given = parser.parse_args()
    save(draw(read_table(given.table, ["policy", "task", "k", "auroc", "n"])), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    record(outputs, {given.table.name: given.table}, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
