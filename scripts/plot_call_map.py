"""The map of calls: who asks for what, patient by patient."""

from pathlib import Path

from tirec import frontend
from tirec.provenance import record
from tirec.records.stored import read_stored
from tirec.report.figures.call_map import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures.call_map.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--table", required=True, type=Path, help="studies/call_map.parquet")
    parser.add_argument("--output", required=True, type=Path, help="call_map.pdf; the .png lies beside it")
    given = parser.parse_args()
    save(draw(read_stored(given.table, ["model", "task", "patient", "function", "value"])), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    record(outputs, {given.table.name: given.table}, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
