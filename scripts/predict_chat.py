"""A chat model's predictions of all three tasks on validation and test: each case once, over its endpoint.

    predict_chat.py --model NAME --episodes EPISODES/validation.arrow EPISODES/test.arrow --predictions DIR
        --trajectories DIR --cache FILE --settings JSON --data-class CLASS [--train EPISODES/train.arrow]

Where `serve` is set, starts the server with $TIREC_VLLM_PYTHON. Killed, the same command continues where it stopped.
"""

import argparse
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from tirec import frontend
from tirec.agent.cases import open_cases
from tirec.config.chat import ChatPredictionConfig
from tirec.evaluation.predict_chat import ChatModel, endpoint, predict
from tirec.policy.chat.cache import AnswerCache
from tirec.provenance import record, write_parquet


def main() -> None:
    """Writes {predictions}/{split}.parquet and {trajectories}/{split}.jsonl.zst."""
    given = _arguments()
    config = frontend.read_settings(ChatPredictionConfig, given.settings)
    python = os.environ.get("TIREC_VLLM_PYTHON", sys.executable)
    with endpoint(config.chat, python, given.log_server) as base_url, closing(AnswerCache(given.cache)) as cache:
        model = ChatModel.of(given.model, config, base_url, cache, given.data_class, given.train, given.episodes)
        for episodes in given.episodes:
            model = model.with_new_account()
            _predict_split(model, episodes, given)


def _arguments() -> argparse.Namespace:
    parser = frontend.arguments(__doc__)
    parser.add_argument("--model", required=True, help="name of the model in the configuration")
    parser.add_argument("--train", type=Path, help="episodes/train.arrow, for few-shot examples")
    parser.add_argument("--episodes", required=True, type=Path, nargs="+", help="episodes/{split}.arrow, one per split")
    parser.add_argument("--predictions", required=True, type=Path, help="predictions/{model}")
    parser.add_argument("--trajectories", required=True, type=Path, help="trajectories/{model}")
    parser.add_argument("--cache", required=True, type=Path, help="file of answers already given, made where missing")
    parser.add_argument("--log-server", type=Path, default=Path("server.log"), help="log of a served model")
    parser.add_argument("--settings", required=True, help="a ChatPredictionConfig: JSON or a file")
    return parser.parse_args()


def _predict_split(model: ChatModel, episodes: Path, given: argparse.Namespace) -> None:
    started = time.monotonic()
    saved = given.trajectories / f"{episodes.stem}.jsonl.zst"
    output = given.predictions / f"{episodes.stem}.parquet"
    write_parquet(predict(model, open_cases(episodes), saved), output)
    print(f"{episodes.stem}: {model.account.line()}", file=sys.stderr)
    settings = model.described() | {"seconds": round(time.monotonic() - started, 1)}
    record([output, saved], {"episodes": episodes}, settings, model.data_class, __file__)


if __name__ == "__main__":
    frontend.run(main)
