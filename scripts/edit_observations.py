"""What each function would say of some test cases of one task if one value, or the patient, were another."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.analysis.edits import edit_observations
from tirec.analysis.reading import sample
from tirec.config.evidence import EvidenceConfig
from tirec.config.studies import StudiesConfig
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.provenance import placed, record, write_parquet
from tirec.records.schema import Tables
from tirec.records.stored import read_alike, read_stored


def main() -> None:
    """Writes studies/edits/{task}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the task's instance files")
    parser.add_argument("--sampled", required=True, type=Path, help="sampled/{task}.parquet")
    parser.add_argument("--settings", help="the configuration section `evidence`: JSON, or a YAML or JSON file")
    parser.add_argument("--studies", help="the configuration section `studies`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="studies/edits/{task}.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(EvidenceConfig, given.settings)
    studies = frontend.read_settings(StudiesConfig, given.studies)
    listed = read_stored(given.sampled, ["instance_id", "role"], only=True).filter(pl.col("role") == "test")
    known = read_alike(given.instances, ["instance_id", "task", "setting", *CUTOFF_COLUMNS], only=True)
    cases = sample(known.join(listed, on="instance_id", how="semi"), studies.edited_cases, studies.seed)
    write_parquet(edit_observations(Tables.open(given.tables), cases, config), given.output)
    inputs = placed([given.sampled, *given.instances])
    inputs |= {f"tables/{path.name}": path for path in sorted(given.tables.glob("*.parquet"))}
    told = config.model_dump() | studies.model_dump(include={"edited_cases", "seed"})
    record([given.output], inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
