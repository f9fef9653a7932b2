"""The training figure: validation without skills and each part of the reward, over steps and ablations."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.provenance import record
from tirec.records.stored import read_table
from tirec.report.figures.training import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/training.pdf and .png."""
    parser = frontend.arguments(__doc__)
    parser.add_argument(
        "--histories", required=True, type=Path, nargs="+", help="policies/{policy}/seed{n}/history.tsv"
    )
    parser.add_argument("--output", required=True, type=Path, help="training.pdf; the .png lies beside it")
    given = parser.parse_args()
    histories: dict[str, list[pl.DataFrame]] = {}
    for path in given.histories:
        history = read_table(path, ("step",))
        histories.setdefault(path.parents[1].name, []).append(history)
    save(draw(histories), given.output)
    outputs = [given.output, given.output.with_suffix(".png")]
    inputs = {"/".join(path.parts[-3:]): path for path in given.histories}
    record(outputs, inputs, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
