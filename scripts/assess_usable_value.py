"""What each group is worth to each policy against how often it asks for it, and their rank correlation."""

from pathlib import Path

from tirec import frontend
from tirec.analysis.arms import Ground, read_arms
from tirec.analysis.reading import read_drawn
from tirec.analysis.usable_value import by_policy, correlation_table, value, value_table
from tirec.config.evaluation import EvaluationConfig
from tirec.config.studies import StudiesConfig
from tirec.provenance import placed, record, write_tsv


def main() -> None:
    """Writes studies/usable_value.tsv and its correlations."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--own", required=True, type=Path, nargs="+", help="studies/budget/{model}.parquet")
    parser.add_argument("--random", required=True, type=Path, nargs="+", help="studies/reading/{model}.parquet")
    parser.add_argument("--drawn", required=True, type=Path, help="studies/drawn.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    parser.add_argument("--studies", help="the configuration section `studies`: JSON, or a YAML or JSON file")
    parser.add_argument("--output", required=True, type=Path, help="studies/usable_value.tsv")
    parser.add_argument("--output-correlation", required=True, type=Path, help="studies/usable_value_correlation.tsv")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    config = frontend.read_settings(StudiesConfig, given.studies)
    ground = Ground.read(read_drawn(given.drawn)["instance_id"], given.instances, rules)
    pairs = zip(given.own, given.random, strict=True)
    values = {own.stem: value(read_arms(own), read_arms(random), ground, config) for own, random in pairs}
    found = by_policy(values, rules)
    write_tsv(value_table(found, rules), given.output)
    write_tsv(correlation_table(found, rules), given.output_correlation)
    read = [*given.own, *given.random, given.drawn, *given.instances]
    inputs = placed(read)
    told = rules.model_dump() | config.model_dump(include={"loss", "request_budget"})
    record([given.output, given.output_correlation], inputs, told, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
