"""The figure of usable value: how often each group is requested, over what it is worth."""

from pathlib import Path

from tirec import frontend
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.figures.usable_value import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/usable_value.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--table", required=True, type=Path, help="studies/usable_value.tsv")
    parser.add_argument("--correlation", required=True, type=Path, help="studies/usable_value_correlation.tsv")
    parser.add_argument("--output", required=True, type=Path, help="usable_value.pdf; the .png lies beside it")
    given = parser.parse_args()
    read = [given.table, given.correlation]
    save(draw(*(read_table(path, ["policy", "task"]) for path in read)), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    record(outputs, {path.name: path for path in read}, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
