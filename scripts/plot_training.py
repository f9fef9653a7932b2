"""The training figure: validation without skills and each part of the reward, over steps and ablations."""

import argparse
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.report.figures.training import draw
from tirec.report.style import save


def main() -> None:
    """Writes figures/training.pdf and .png."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--histories", required=True, type=Path, nargs="+", help="policies/{policy}/seed{n}/history.tsv"
    )
    parser.add_argument("--output", required=True, type=Path, help="training.pdf; the .png lies beside it")
    given = parser.parse_args()
    histories: dict[str, list[pl.DataFrame]] = {}
    for path in given.histories:
        history = pl.read_csv(path, separator="\t", infer_schema_length=None)
        histories.setdefault(path.parents[1].name, []).append(history)
    save(draw(histories), given.output)


if __name__ == "__main__":
    frontend.run(main)
