"""One classical model for one task: tuned on validation half A, calibrated on half B, saved.

python scripts/fit_tabular.py --task revisit --instances results/instances/revisit/*.parquet
    --features results/features/revisit.parquet --sampled results/sampled/revisit.parquet
    --settings '{"estimator": "lightgbm"}' --threads 2 --output results/policies/lightgbm/seed0/revisit/policy.json
"""

from pathlib import Path

from tirec import frontend
from tirec.config.models import TabularConfig
from tirec.policy.tabular.fit import fit, parts
from tirec.policy.tabular.policy import WEIGHTS
from tirec.provenance import placed, record
from tirec.records.stored import read_alike, read_stored
from tirec.teacher.rows import read_rows


def main() -> None:
    """Writes policy.json and the fitted estimator beside it."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--task", required=True)
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the task's instance files")
    parser.add_argument("--features", required=True, type=Path, help="features/{task}.parquet")
    parser.add_argument("--sampled", required=True, type=Path, help="sampled/{task}.parquet")
    parser.add_argument("--settings", required=True, help="the model's entry in `models`: JSON, or a YAML or JSON file")
    parser.add_argument("--threads", type=int, default=1, help="settings fitted side by side")
    parser.add_argument("--output", required=True, type=Path, help="policies/{model}/seed0/{task}/policy.json")
    given = parser.parse_args()
    config = frontend.read_settings(TabularConfig, given.settings).model_copy(update={"threads": given.threads})
    rows = read_rows(given.instances, given.features, given.task)
    half = read_alike(given.instances, ("instance_id", "half"), only=True)
    listed = read_stored(given.sampled, ("instance_id", "role"), only=True)
    model = fit(parts(rows, half, listed, config), given.task, config)
    model.save(given.output, config, given.data_class)
    inputs = placed([*given.instances, given.features, given.sampled])
    outputs = [given.output, given.output.with_name(WEIGHTS)]
    record(outputs, inputs, config.model_dump(exclude={"threads"}), given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
