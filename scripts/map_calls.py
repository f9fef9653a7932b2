"""Which functions policies ask for, and what the tree teacher rests on, patient by patient."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent import trajectories
from tirec.analysis.call_map import call_map, called, choose, contributed
from tirec.config.studies import StudiesConfig
from tirec.evaluation.outcomes import asked, read_instances
from tirec.provenance import placed, record, write_parquet
from tirec.records.stored import read_stored


def main() -> None:
    """Writes studies/call_map.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument(
        "--trajectories",
        required=True,
        type=Path,
        nargs="+",
        help="trajectories/{model}/test.jsonl.zst, the reference first",
    )
    parser.add_argument(
        "--contributions", required=True, type=Path, nargs="+", help="contributions.parquet, every task"
    )
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--settings", help="the configuration section `studies`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="studies/call_map.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(StudiesConfig, given.settings)
    cases = asked(given.sampled, "test").join(read_instances(given.instances), on="instance_id")
    chosen = choose(cases, config.map_patients, config.seed)
    maps = {path.parent.name: called(trajectories.read(path), chosen) for path in given.trajectories}
    tree = pl.concat(read_stored(path, ["instance_id", "function", "contribution"]) for path in given.contributions)
    maps["teacher"] = contributed(tree, chosen)
    write_parquet(call_map(maps, chosen), given.output)
    read = [*given.trajectories, *given.contributions, *given.instances, *given.sampled]
    inputs = placed(read)
    told = config.model_dump(include={"map_patients", "seed"})
    record([given.output], inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
