"""One model's quality by sex, age, race, ethnicity, arrival, acuity and monitoring, with gaps to everyone."""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.model_metrics import THRESHOLD_COLUMNS, Benchmark
from tirec.evaluation.outcomes import PREDICTION_SCHEMA
from tirec.evaluation.subgroup_table import subgroup_table
from tirec.evaluation.subgroups import VISIT_COLUMNS, describe, first_monitor_values
from tirec.provenance import placed, record, write_tsv
from tirec.records.stored import read_alike, read_stored, read_table, require_columns


def main() -> None:
    """Writes subgroups/{model}.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--test", required=True, type=Path, help="predictions/{model}/test.parquet")
    parser.add_argument("--metrics", required=True, type=Path, help="metrics/{model}.tsv: the thresholds")
    parser.add_argument("--visits", required=True, type=Path, help="tables/visits.parquet")
    parser.add_argument("--numerics", required=True, type=Path, help="tables/numerics.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--output", required=True, type=Path, help="subgroups/{model}.tsv")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    benchmark = Benchmark.read(given.instances, given.sampled)
    metrics = read_table(given.metrics, THRESHOLD_COLUMNS)
    flagged = benchmark.flagged(read_stored(given.test, PREDICTION_SCHEMA), metrics)
    require_columns(given.numerics, ("csn", "source", "time_s"))
    described = describe(
        _cutoffs(given.instances, flagged),
        read_stored(given.visits, VISIT_COLUMNS, only=True),
        first_monitor_values(pl.scan_parquet(given.numerics), flagged["csn"].unique()),
        rules.age_bands,
    )
    write_tsv(subgroup_table(flagged, described, benchmark.resample(rules), rules), given.output)
    read = [given.test, given.metrics, given.visits, given.numerics, *given.instances, *given.sampled]
    inputs = placed(read)
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


def _cutoffs(instances: list[Path], cases: pl.DataFrame) -> pl.DataFrame:
    """instance_id, csn, cutoff_s of the cases."""
    known = read_alike(instances, ("instance_id", "csn", "cutoff_s"), only=True)
    return known.join(cases.select("instance_id"), on="instance_id", how="semi")


if __name__ == "__main__":
    frontend.run(main)
