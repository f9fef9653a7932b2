"""AUROC beside calls per case of every model, as its metrics table says."""

from pathlib import Path

from tirec import frontend
from tirec.analysis.calls import MEASURED, calls_table
from tirec.provenance import record, write_tsv
from tirec.records.stored import read_table


def main() -> None:
    """Writes studies/calls.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--metrics", required=True, type=Path, nargs="+", help="metrics/{model}.tsv, every model")
    parser.add_argument("--output", required=True, type=Path, help="studies/calls.tsv")
    given = parser.parse_args()
    metrics = {path.stem: read_table(path, MEASURED) for path in given.metrics}
    write_tsv(calls_table(metrics), given.output)
    record([given.output], {path.name: path for path in given.metrics}, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
