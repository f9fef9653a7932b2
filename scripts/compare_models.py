"""Table 1: the reference policy, its base, the teacher and every other model on the same test cases, paired.

python scripts/compare_models.py --models full.seed0 base.seed0 teacher lightgbm --predictions
    results/predictions/{full.seed0,base.seed0,teacher,lightgbm}/test.parquet --metrics
    results/metrics/{full.seed0,base.seed0,teacher,lightgbm}.tsv --instances results/instances/*/*.parquet
    --sampled results/sampled/*.parquet --output results/main.tsv
"""

from pathlib import Path

from tirec import frontend
from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.ablation_scores import read_measured, score_models
from tirec.evaluation.model_metrics import Benchmark
from tirec.evaluation.model_table import model_table
from tirec.provenance import placed, record, write_tsv


def main() -> None:
    """Writes main.tsv."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--models", required=True, nargs="+", help="names in the table's order")
    parser.add_argument("--predictions", required=True, type=Path, nargs="+", help="predictions/{model}/test.parquet")
    parser.add_argument("--metrics", required=True, type=Path, nargs="+", help="metrics/{model}.tsv: the thresholds")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--output", required=True, type=Path, help="main.tsv")
    parser.add_argument("--settings", help="the configuration section `evaluation`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    rules = frontend.read_settings(EvaluationConfig, given.settings)
    models = read_measured(given.models, given.predictions, given.metrics, match={})
    scores = score_models(models, Benchmark.read(given.instances, given.sampled), rules)
    write_tsv(model_table(scores, rules), given.output)
    read = [*given.predictions, *given.instances, *given.sampled, *given.metrics]
    inputs = placed(read)
    record([given.output], inputs, rules.model_dump(), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
