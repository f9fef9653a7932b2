"""One classical model's predictions of the listed validation and test cases, in the format of every model.

python scripts/predict_tabular.py --policies results/policies/lightgbm/seed0/*/policy.json
    --features results/features/*.parquet --instances results/instances/*/*.parquet
    --sampled results/sampled/*.parquet --output-dir results/predictions/lightgbm
"""

from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.evaluation.predictions import from_risk, listed
from tirec.policy.tabular.policy import TabularPolicy
from tirec.provenance import record, write_parquet
from tirec.teacher.rows import read_rows


def main() -> None:
    """Writes predictions/{model}/{validation,test}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--policies", required=True, type=Path, nargs="+", help="{task}/policy.json, every task")
    parser.add_argument("--features", required=True, type=Path, nargs="+", help="features/{task}.parquet, every task")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--sampled", required=True, type=Path, nargs="+", help="sampled/{task}.parquet, every task")
    parser.add_argument("--output-dir", required=True, type=Path, help="predictions/{model}")
    given = parser.parse_args()
    features = {path.stem: path for path in given.features}
    cases = {split: listed(given.sampled, split) for split in ("validation", "test")}
    asked = pl.concat(cases.values())["instance_id"]
    risks = []
    for path in given.policies:
        policy = TabularPolicy.load(path)
        instances = [file for file in given.instances if file.parent.name == policy.task]
        rows = read_rows(instances, features[policy.task], policy.task)
        rows = rows.where(rows.keys["instance_id"].is_in(asked.implode()).to_numpy())
        risks.append(rows.keys.select("instance_id", p=pl.Series(policy.predict(rows))))
    weights = [path.with_name("model.joblib") for path in given.policies]
    read = [*given.policies, *weights, *given.features, *given.instances, *given.sampled]
    inputs = {"/".join(path.parts[-3:]): path for path in read}
    for split, split_cases in cases.items():
        output = given.output_dir / f"{split}.parquet"
        write_parquet(from_risk(pl.concat(risks), split_cases, given.output_dir.name), output)
        record([output], inputs, {}, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
