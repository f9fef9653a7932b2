"""The teacher's predictions of the listed validation and test cases, in the format of every model."""

from pathlib import Path

from tirec import frontend
from tirec.evaluation.predictions import from_risk, listed
from tirec.provenance import placed, record, write_parquet
from tirec.records.stored import read_alike


def main() -> None:
    """Writes predictions/teacher/{validation,test}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--risk", required=True, type=Path, nargs="+", help="teachers/{task}/risk.parquet, every task")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--output-dir", required=True, type=Path, help="predictions/teacher")
    given = parser.parse_args()
    risk = read_alike(given.risk, ("instance_id", "p"), only=True)
    inputs = placed([*given.risk, *given.sampled])
    for split in ("validation", "test"):
        output = given.output_dir / f"{split}.parquet"
        write_parquet(from_risk(risk, listed(given.sampled, split), "teacher"), output)
        record([output], inputs, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
