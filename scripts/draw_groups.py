"""The sampled test cases of the studies, and the random order of the ten groups of each patient and draw."""

from pathlib import Path

from tirec import frontend
from tirec.analysis.reading import draw_groups
from tirec.config.studies import StudiesConfig
from tirec.errors import EmptyError
from tirec.evaluation.outcomes import asked, read_instances
from tirec.provenance import placed, record, write_parquet


def main() -> None:
    """Writes studies/drawn.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--settings", help="the configuration section `studies`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="studies/drawn.parquet")
    given = parser.parse_args()
    config = frontend.read_settings(StudiesConfig, given.settings)
    cases = asked(given.sampled, "test").join(read_instances(given.instances), on="instance_id")
    if cases.is_empty():
        raise EmptyError("the written lists hold no test case to study")
    write_parquet(draw_groups(cases.select("instance_id", "mrn", "task", "setting"), config), given.output)
    inputs = placed([*given.instances, *given.sampled])
    told = config.model_dump(include={"cases", "draws", "seed"})
    record([given.output], inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
