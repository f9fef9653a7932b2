"""A policy behind HTTP: the token interface gives its own episodes, the chat interface the same where it may."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx
import pytest
import tiny_policy as tiny
from chat_history import repeating

from tirec.agent.cases import Case
from tirec.agent.episode import Stop
from tirec.agent.parse import call_text
from tirec.agent.prompt import protocol_of
from tirec.agent.tokens import TokenEpisode
from tirec.config.chat import ChatConfig
from tirec.config.policy import WarmStartConfig
from tirec.evidence.menu import MENU, schemas
from tirec.policy.base import build_tiny
from tirec.policy.chat.completion import read_completion
from tirec.policy.chat.conversation import Conversation
from tirec.policy.chat.prompts import ChatPrompts
from tirec.policy.hf import LoadedPolicy, load, predict_episodes
from tirec.policy.server import PolicyService, http_server, message_of

pytestmark = pytest.mark.slow

N = 3  # cases per task


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> LoadedPolicy:
    folder = tmp_path_factory.mktemp("policy")
    train = tiny.write_cases(folder / "train.arrow", "train", N)
    tiny.write_cases(folder / "test.arrow", "test", N)
    base = tiny.BASE.model_copy(update={"warm_start": WarmStartConfig(steps=60, batch=32)})
    build_tiny(base, train, tiny.RULES, "synthetic", folder / "base")
    return load(folder / "base" / "disposition" / "policy.json", device="cpu")


@pytest.fixture(scope="module")
def cases(policy: LoadedPolicy, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    return list(tiny.write_cases(tmp_path_factory.mktemp("cases") / "test.arrow", "test", N))


@contextmanager
def serving(policy: LoadedPolicy) -> Iterator[httpx.Client]:
    server = http_server(PolicyService(policy, "tiny"), 0)
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{server.server_address[1]}", trust_env=False, timeout=60
        ) as client:
            yield client
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def own_episodes(policy: LoadedPolicy, cases: list[Case]) -> list[TokenEpisode]:
    protocol = protocol_of(policy.tokenizer, tiny.RULES)
    return [played for _, played in predict_episodes(policy, protocol, cases, tiny.RULES)]


def results(episode: Any) -> tuple[Any, ...]:
    record = episode.record()
    return record.finish, record.p, record.calls, record.turns


def test_over_the_token_interface_an_episode_is_the_policys_own(policy: LoadedPolicy, cases: list[Case]) -> None:
    protocol = protocol_of(policy.tokenizer, tiny.RULES)
    with serving(policy) as client:
        for case, own in zip(cases, own_episodes(policy, cases), strict=True):
            played = TokenEpisode.evaluation(protocol, case, tiny.RULES)
            while not played.finished:
                body = {"model": "tiny", "prompt": played.prompt + played.response, "max_tokens": played.remaining}
                choice = client.post("/v1/completions", json=body).json()["choices"][0]
                stop = Stop.LENGTH if choice["finish_reason"] == "length" else Stop.CLOSED
                played.accept(choice["token_ids"], [0.0] * len(choice["token_ids"]), stop)
            assert played.response == own.response
            assert results(played.episode) == results(own.episode)


def over_chat(client: httpx.Client, case: Case, **changes: Any) -> Conversation:
    config = ChatConfig(kind="chat", model="tiny", base_url="http://127.0.0.1/v1", **changes)
    prompts = ChatPrompts(config, tiny.RULES, schemas(MENU), {})
    conversation = Conversation(case, config, tiny.RULES, prompts)
    while not conversation.episode.finished:
        reply = client.post("/v1/chat/completions", json=conversation.request())
        assert reply.status_code == 200, reply.text
        conversation.take(read_completion(reply.json()))
    return conversation


def test_over_chat_the_predictions_are_the_policys_own_where_the_template_permits(
    policy: LoadedPolicy, cases: list[Case]
) -> None:
    own = own_episodes(policy, cases)
    kept = policy.tokenizer.chat_template
    policy.tokenizer.chat_template = repeating(kept)
    try:
        with serving(policy) as client:
            asked = [over_chat(client, case, functions="template", decoding={"max_tokens": 60}) for case in cases]
    finally:
        policy.tokenizer.chat_template = kept
    assert sum(len(episode.episode.calls) for episode in own) > len(cases)
    for conversation, token_path in zip(asked, own, strict=True):
        chat, tokens = conversation.episode.record(), token_path.episode.record()
        assert (chat.p, chat.finish, chat.calls) == (tokens.p, tokens.finish, tokens.calls)


def test_what_the_interface_promises(policy: LoadedPolicy) -> None:
    user = [{"role": "user", "content": "age 40 F"}]
    with serving(policy) as client:
        assert client.get("/health").status_code == 200
        assert [one["id"] for one in client.get("/v1/models").json()["data"]] == ["tiny"]
        reply = client.post("/v1/chat/completions", json={"model": "tiny", "messages": user, "max_tokens": 3}).json()
        assert reply["choices"][0]["finish_reason"] == "length"
        assert reply["usage"]["completion_tokens"] == 3
        faults = {
            404: {"model": "other", "messages": user},
            400: {"model": "tiny", "messages": user, "stream": True},
        }
        for status, body in faults.items():
            assert client.post("/v1/chat/completions", json=body).status_code == status
        long = {"model": "tiny", "prompt": [5] * 5000}
        assert client.post("/v1/completions", json=long).json()["error"]["code"] == "context_length_exceeded"
        assert client.post("/v1/completions", content=b"{").status_code == 400
        assert client.post("/v1/elsewhere", json={}).status_code == 404


def test_drawing_is_fixed_by_the_seed(policy: LoadedPolicy) -> None:
    def drawn(seed: int) -> list[int]:
        body = {"model": "tiny", "prompt": [7, 8, 9], "max_tokens": 12, "temperature": 5.0, "seed": seed}
        return service.complete(body)["choices"][0]["token_ids"]

    service = PolicyService(policy, "tiny")
    assert drawn(1) == drawn(1) != drawn(2)


def test_a_call_is_native_only_where_it_can_be_read() -> None:
    assert message_of(f"Labs. {call_text('labs')}", native=True)["tool_calls"][0]["function"] == {
        "name": "labs",
        "arguments": "{}",
    }
    for text, native in ((call_text("labs"), False), ("<tool_call>{</tool_call>", True), ("no", True)):
        assert message_of(text, native=native) == {"role": "assistant", "content": text}
