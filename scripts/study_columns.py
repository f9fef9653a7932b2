"""A model of columns in the studies: the same random groups, and the same edited observations."""

from functools import partial
from pathlib import Path

import lightgbm as lgb
import polars as pl

from tirec import frontend
from tirec.analysis.edits import read_edits
from tirec.analysis.masked import Predict, edited_arms, random_arm
from tirec.analysis.reading import read_drawn
from tirec.config.studies import StudiesConfig
from tirec.policy.tabular.policy import TabularPolicy
from tirec.provenance import placed, record, write_parquet
from tirec.teacher.gbm import predict
from tirec.teacher.rows import read_rows


def main() -> None:
    """Writes studies/{reading,counterfactual}/{model}.parquet."""
    parser = frontend.arguments(__doc__)
    parser.add_argument(
        "--models", required=True, type=Path, nargs="+", help="{task}/model.txt of the teacher, or {task}/policy.json"
    )
    parser.add_argument("--features", required=True, type=Path, nargs="+", help="features/{task}.parquet, every task")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the nine instance files")
    parser.add_argument("--drawn", required=True, type=Path, help="studies/drawn.parquet")
    parser.add_argument("--edits", required=True, type=Path, nargs="+", help="studies/edits/{task}.parquet, every task")
    parser.add_argument("--settings", help="the configuration section `studies`: JSON, or a YAML or JSON file")
    parser.add_argument("--output-reading", required=True, type=Path, help="random arm")
    parser.add_argument("--output-counterfactual", required=True, type=Path, help="edited observations")
    given = parser.parse_args()
    config = frontend.read_settings(StudiesConfig, given.settings)
    drawn = read_drawn(given.drawn)
    edits = {path.stem: read_edits(path) for path in given.edits}
    features = {path.stem: path for path in given.features}
    reading, edited = [], []
    for path in given.models:
        task = path.parent.name
        risk = _risk(path)
        rows = read_rows([one for one in given.instances if one.parent.name == task], features[task], task)
        own = drawn.filter(pl.col("task") == task)
        reading.append(random_arm(risk, rows.of(own["instance_id"]), own, config.budgets))
        edited.append(edited_arms(risk, rows.of(edits[task]["instance_id"]), edits[task]))
    write_parquet(pl.concat(reading), given.output_reading)
    write_parquet(pl.concat(edited), given.output_counterfactual)
    read = [*given.models, *given.features, *given.instances, given.drawn, *given.edits]
    inputs = placed(read)
    told = config.model_dump(include={"budgets"})
    record([given.output_reading, given.output_counterfactual], inputs, told, given.data_class, __file__)


def _risk(path: Path) -> Predict:
    """The teacher's LightGBM text, or a fitted classical model."""
    if path.suffix == ".json":
        return TabularPolicy.load(path).predict
    return partial(predict, lgb.Booster(model_str=path.read_text(encoding="utf-8")), threads=1)


if __name__ == "__main__":
    frontend.run(main)
