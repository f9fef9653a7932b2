"""The points of one model's calibration curves: p as answered, and recalibrated on validation half B."""

from pathlib import Path

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.curves import calibration_table
from tirec.evaluation.model_metrics import THRESHOLD_COLUMNS, Benchmark
from tirec.evaluation.outcomes import PREDICTION_SCHEMA
from tirec.provenance import placed, record, write_tsv
from tirec.records.stored import read_stored, read_table


def main() -> None:
    """Writes calibration/{model}.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--validation", required=True, type=Path, help="predictions/{model}/validation.parquet")
    parser.add_argument("--test", required=True, type=Path, help="predictions/{model}/test.parquet")
    parser.add_argument("--metrics", required=True, type=Path, help="metrics/{model}.tsv")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--output", required=True, type=Path, help="calibration/{model}.tsv")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    benchmark = Benchmark.read(given.instances, given.sampled)
    metrics = read_table(given.metrics, THRESHOLD_COLUMNS)
    flagged = benchmark.flagged(read_stored(given.test, PREDICTION_SCHEMA), metrics)
    half_b = benchmark.half_b(read_stored(given.validation, PREDICTION_SCHEMA))
    write_tsv(calibration_table(flagged, half_b, benchmark.resample(rules), rules), given.output)
    read = [given.validation, given.test, given.metrics, *given.instances, *given.sampled]
    inputs = placed(read)
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
