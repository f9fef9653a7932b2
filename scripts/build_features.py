"""The trees' columns for every evidence id of one task, through the evidence window."""

from pathlib import Path

from tirec import frontend
from tirec.config.evidence import EvidenceConfig
from tirec.evidence.features import build, complaint_vocabulary
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.provenance import placed, record, write_parquet
from tirec.records.schema import Tables
from tirec.records.stored import SPLITS, read_alike, read_stored


def main() -> None:
    """Writes features/{task}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--splits", required=True, type=Path, help="splits.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the task's instance files")
    parser.add_argument("--settings", help="the configuration section `evidence`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="features/{task}.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(EvidenceConfig, given.settings)
    tables = Tables.open(given.tables)
    cutoffs = read_alike(given.instances, CUTOFF_COLUMNS, only=True).unique()
    visits = tables.visits.select("csn", "cc").collect()
    complaints = complaint_vocabulary(visits, read_stored(given.splits, SPLITS), config)
    write_parquet(build(tables, cutoffs, complaints, config), given.output)
    inputs = placed([given.splits, *given.instances])
    inputs |= {f"tables/{path.name}": path for path in sorted(given.tables.glob("*.parquet"))}
    record([given.output], inputs, config.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
