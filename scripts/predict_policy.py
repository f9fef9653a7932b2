"""A policy's predictions of all three tasks on validation and test: greedy, without skills, each case once."""

import time
from pathlib import Path

from tirec import frontend
from tirec.agent.cases import open_cases
from tirec.config.evaluation import PredictionConfig
from tirec.evaluation.predict import predict
from tirec.provenance import record, write_parquet


def main() -> None:
    """Writes {predictions}/{split}.parquet and {trajectories}/{split}.jsonl.zst."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--model", required=True, help="name of the model, such as full.seed0")
    parser.add_argument("--policies", required=True, type=Path, nargs="+", help="{task}/policy.json, every task")
    parser.add_argument("--episodes", required=True, type=Path, nargs="+", help="episodes/{split}.arrow, one per split")
    parser.add_argument("--predictions", required=True, type=Path, help="predictions/{model}")
    parser.add_argument("--trajectories", required=True, type=Path, help="trajectories/{model}")
    parser.add_argument("--settings", help="a PredictionConfig (protocol, reward, threads, batch): JSON or a file")
    given = parser.parse_args()
    config = frontend.read_settings(PredictionConfig, given.settings)
    policies = {path.parent.name: path for path in given.policies}
    for episodes in given.episodes:
        started = time.monotonic()
        saved = given.trajectories / f"{episodes.stem}.jsonl.zst"
        predictions = predict(given.model, policies, open_cases(episodes), config, saved)
        output = given.predictions / f"{episodes.stem}.parquet"
        write_parquet(predictions, output)
        settings = config.model_dump() | {"seconds": round(time.monotonic() - started, 1)}
        record([output, saved], policies | {"episodes": episodes}, settings, given.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
