"""Asks a chat model for its predictions: every listed case once, in the same format as every model."""

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from tqdm import tqdm

from tirec.agent import trajectories
from tirec.agent.cases import Case, Cases, open_cases
from tirec.agent.reward import score
from tirec.agent.trajectories import Trajectory
from tirec.config.agent import REPOSITORY
from tirec.config.chat import ChatConfig, ChatPredictionConfig
from tirec.config.data import DataClass
from tirec.errors import ConfigError
from tirec.evaluation.outcomes import PREDICTION_SCHEMA
from tirec.evaluation.predictions import conform, prediction
from tirec.evidence.menu import MENU, schemas
from tirec.governance.guard import Destination, client, destination, strictest_class
from tirec.policy.chat.account import Account
from tirec.policy.chat.cache import AnswerCache
from tirec.policy.chat.client import ChatClient
from tirec.policy.chat.conversation import Conversation
from tirec.policy.chat.examples import choose
from tirec.policy.chat.play import Asker, Player
from tirec.policy.chat.prompts import ChatPrompts, Examples
from tirec.policy.chat.serving import served, weights_id


@dataclass(frozen=True)
class ChatModel:
    """A chat model that may be asked: where, what it is shown, and the answers it gave before."""

    name: str
    config: ChatPredictionConfig
    base_url: str
    data_class: DataClass
    allowed: Destination
    examples: Examples
    cache: AnswerCache
    account: Account

    @classmethod
    def of(
        cls,
        name: str,
        config: ChatPredictionConfig,
        base_url: str,
        cache: AnswerCache,
        data_class: DataClass,
        train: Path | None,
        episodes: Sequence[Path],
    ) -> "ChatModel":
        """The model, once the guard has let the rows of these files go to the endpoint.

        The class stated counts together with those recorded beside the files: the strictest of them.
        """
        chat = config.chat
        strictest = strictest_class(data_class, [*episodes, *([train] if train else [])])
        allowed = destination_of(config, base_url, strictest)
        account = Account(chat.price, chat.served)
        return cls(name, config, base_url, strictest, allowed, _examples(chat, train), cache, account)

    def with_new_account(self) -> "ChatModel":
        """The same model, to be asked for another split; it must still be served under the same id."""
        return replace(self, account=Account(self.config.chat.price, self.account.expected))

    def described(self) -> dict[str, Any]:
        """For the provenance file: how it was asked, where that was allowed, what it cost."""
        settings = self.config.model_dump(mode="json")
        return {**settings, "account": self.account.summary(), "allowed": self.allowed.reason}


def destination_of(config: ChatPredictionConfig, base_url: str, data_class: DataClass) -> Destination:
    """Where the model's rows may go; raises GovernanceError where they may not, ConfigError without its key."""
    attestation = config.chat.attestation
    allowed = destination(
        base_url, data_class, config.dataset, config.governance, REPOSITORY / attestation if attestation else None
    )
    key(config.chat)
    return allowed


def _examples(chat: ChatConfig, train: Path | None) -> Examples:
    if chat.variant != "few_shot":
        return {}
    if train is None:
        raise ConfigError("few_shot: needs the training cases (--train)")
    return choose(open_cases(train), chat.few_shot)


@contextmanager
def endpoint(chat: ChatConfig, python: str, log: Path) -> Iterator[str]:
    """The base URL that is named, or that of a server which `python` runs for the time being."""
    if chat.serve is None:
        yield chat.base_url or ""
        return
    weights_id(Path(chat.serve.weights))
    with served(chat, chat.serve, python, log) as base_url:
        yield base_url


def predict(model: ChatModel, cases: Cases, trajectory_path: Path) -> pl.DataFrame:
    """Plays every case; writes the trajectories and returns the predictions."""
    rows: list[dict[str, object]] = []

    def noted() -> Iterator[Trajectory]:
        for trajectory in _played(model, cases):
            rows.append(prediction(trajectory))
            yield trajectory

    trajectories.write(noted(), trajectory_path)
    return conform(pl.DataFrame(rows, schema=PREDICTION_SCHEMA))


def _played(model: ChatModel, cases: Cases) -> Iterator[Trajectory]:
    chat, rules = model.config.chat, model.config.protocol
    prompts = ChatPrompts(chat, rules, schemas(MENU), model.examples)
    progress = tqdm(total=len(cases), desc=model.name, mininterval=5, file=sys.stderr)
    with asyncio.Runner() as runner, progress:
        http = client(model.allowed, chat.timeout_s, chat.concurrency)
        server = ChatClient(http, model.base_url, key(chat), chat.timeout_s, chat.retries)
        weights = weights_id(Path(chat.serve.weights)) if chat.serve else ""
        asker = Asker(server, model.cache, model.account, chat.mode, weights)
        try:
            for case, conversation in Player(chat, rules, prompts, asker).play(cases, runner):
                progress.update()
                yield _trajectory(model, case, conversation)
        finally:
            runner.run(http.aclose())


def _trajectory(model: ChatModel, case: Case, conversation: Conversation) -> Trajectory:
    episode = conversation.episode.record()
    return Trajectory(
        model=model.name,
        split=case.split,
        instance_id=case.instance_id,
        task=case.task,
        setting=case.setting,
        prompt=tuple(conversation.opening),
        episode=episode,
        tokens=conversation.tokens(),
        reward=score(episode, case, model.config.reward),
    )


def key(chat: ChatConfig) -> str | None:
    """The key from the environment variable that the entry names; raises ConfigError where it is not set."""
    if chat.key_env is None:
        return None
    found = os.environ.get(chat.key_env, "").strip()
    if not found:
        raise ConfigError(f"key_env: the environment variable {chat.key_env} is not set")
    return found
