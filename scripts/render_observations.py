"""The initial view and the 18 texts of every sampled instance of one task, through the evidence window."""

from pathlib import Path

from tirec import frontend
from tirec.config.evidence import EvidenceConfig
from tirec.evidence.observations import render
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.provenance import placed, record, write_parquet
from tirec.records.schema import Tables
from tirec.records.stored import read_alike, read_stored


def main() -> None:
    """Writes observations/{task}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the task's instance files")
    parser.add_argument("--sampled", required=True, type=Path, help="sampled/{task}.parquet")
    parser.add_argument("--settings", help="the configuration section `evidence`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="observations/{task}.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(EvidenceConfig, given.settings)
    chosen = read_stored(given.sampled, ["evidence_id"], only=True).unique()
    cutoffs = read_alike(given.instances, CUTOFF_COLUMNS, only=True).unique()
    sampled = cutoffs.join(chosen, on="evidence_id", how="semi")
    write_parquet(render(Tables.open(given.tables), sampled, config), given.output)
    inputs = placed([given.sampled, *given.instances])
    inputs |= {f"tables/{path.name}": path for path in sorted(given.tables.glob("*.parquet"))}
    record([given.output], inputs, config.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
