"""Whether the numbers in the models' own text agree with what they had read.

python scripts/check_numbers.py --trajectories results/trajectories/{model}/test.jsonl.zst --output FILE.tsv
"""

import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent import trajectories
from tirec.evaluation.numeric_check import counts, shares
from tirec.provenance import record, write_tsv


def main() -> None:
    """Writes one row per episode: statements, and how many were correct, wrong or not verifiable; tells the shares."""
    parser = frontend.arguments(__doc__)
    parser.add_argument(
        "--trajectories", required=True, type=Path, nargs="+", help="files of trajectories (.jsonl.zst)"
    )
    parser.add_argument("--output", required=True, type=Path, help="a .tsv file")
    given = parser.parse_args()
    table = pl.concat([counts(trajectories.read(path)) for path in given.trajectories])
    write_tsv(table, given.output)
    record([given.output], {path.name: path for path in given.trajectories}, {}, given.data_class, __file__)
    print(shares(table).write_csv(separator="\t", float_precision=4), end="", file=sys.stderr)


if __name__ == "__main__":
    frontend.run(main)
