"""One request against a real server that fails in every way we know."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from chat_server import ChatServer, Fault, message, reply

from tirec.config.chat import RetriesConfig
from tirec.config.governance import GovernanceConfig
from tirec.governance.guard import client, destination
from tirec.policy.chat.client import ChatClient, EndpointError
from tirec.policy.chat.completion import Completion

QUICK = RetriesConfig(attempts=4, first_wait_s=0.02, longest_wait_s=0.05)
SECRET = "MRN 99123456 fell from a ladder"
BODY = {"model": "toy", "messages": [{"role": "user", "content": SECRET}]}


def ask(server: ChatServer, retries: RetriesConfig = QUICK, timeout_s: float = 30.0) -> Completion:
    async def send(url: str) -> Completion:
        allowed = destination(url, "credentialed", "mcmed", GovernanceConfig())
        async with client(allowed, timeout_s, 2) as http:
            return await ChatClient(http, url, "key-123", timeout_s, retries).complete(BODY)

    with server.running() as url:
        return asyncio.run(send(url))


def answering(_: Any) -> Any:
    return reply("<answer>0.4</answer>", completion_tokens=7, prompt_tokens=50)


def test_an_answer_with_its_account() -> None:
    server = ChatServer(answering)
    answer = ask(server)
    assert (answer.text, answer.ending, answer.served) == ("<answer>0.4</answer>", "stop", "toy")
    assert (answer.prompt_tokens, answer.written_tokens) == (50, 7)
    assert answer.at == datetime.now(UTC).date().isoformat()
    assert server.headers[0]["Authorization"] == "Bearer key-123"


@pytest.mark.parametrize(
    "fault",
    [
        Fault(429, {"Retry-After": "0"}, b"{}"),
        Fault(500, raw=b"oops"),
        Fault(502, raw=b"<html>"),
        Fault(408, raw=b""),
        Fault(drop=True),
        Fault(raw=b'{"choices": ['),
        Fault(raw=b"[]"),
        Fault(raw=b'{"choices": []}'),
        Fault(raw=b'{"model": "toy", "choices": [{"message": {"content": 5}}]}'),
        Fault(raw=b'{"model": "toy", "choices": [{"message": {"content": "x", "tool_calls": 5}}]}'),
        Fault(raw=b'{"choices": [{"message": {"content": "x"}}]}'),
        Fault(raw=b'{"model": "no name\\n", "choices": [{"message": {"content": "x"}}]}'),
        Fault(raw=b"\xff\xfe"),
        Fault(raw=b"[" * 100_000),
        Fault(headers={"Content-Length": "9999"}, raw=b"{}"),
        Fault(headers={"Content-Encoding": "gzip"}, raw=b"no gzip"),
    ],
)
def test_a_fault_that_may_pass_is_tried_again(fault: Fault) -> None:
    server = ChatServer(answering, {0: fault, 1: fault})
    assert ask(server).text == "<answer>0.4</answer>"
    assert len(server.arrived) == 3


@pytest.mark.parametrize("form", ["number", "date"])
def test_the_server_says_how_long_to_wait(form: str) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    server = ChatServer(answering, {0: Fault(429, {"Retry-After": "1" if form == "number" else later}, b"{}")})
    ask(server)
    assert server.times[1] - server.times[0] >= (1.0 if form == "number" else 0.5)


@pytest.mark.parametrize(
    "usage", [None, [1], {"prompt_tokens": "12", "prompt_tokens_details": 3}, {"prompt_tokens": -1}]
)
def test_a_server_that_does_not_count_is_still_understood(usage: Any) -> None:
    answer = ask(ChatServer(lambda _: reply("x") | {"usage": usage}))
    assert (answer.prompt_tokens, answer.cached_tokens, answer.written_tokens) == (None, 0, None)


def test_more_patience_than_we_have_ends_the_run() -> None:
    server = ChatServer(answering, {0: Fault(429, {"Retry-After": "86400"}, b"{}")})
    with pytest.raises(EndpointError, match="asks to wait 86400 s"):
        ask(server)
    assert len(server.arrived) == 1


def test_waits_grow_and_are_not_all_the_same() -> None:
    faults = {at: Fault(503, raw=b"") for at in range(4)}
    server = ChatServer(answering, faults)
    with pytest.raises(EndpointError, match="status 503; given up, the answers so far are kept"):
        ask(server, RetriesConfig(attempts=4, first_wait_s=0.1, longest_wait_s=0.4))
    waits = [later - earlier for earlier, later in zip(server.times, server.times[1:], strict=False)]
    assert len(waits) == 3
    assert waits[0] >= 0.1 and waits[1] >= 0.2 and waits[2] >= 0.39


def test_a_slow_answer_is_not_waited_for() -> None:
    server = ChatServer(answering, {0: Fault(wait_s=60)})
    started = time.monotonic()
    assert ask(server, timeout_s=1.5).ending == "stop"
    assert time.monotonic() - started < 40


@pytest.mark.parametrize(
    ("status", "raw", "ending"),
    [
        (400, b'{"error": {"code": "context_length_exceeded", "message": "too long"}}', "too_long"),
        (
            400,
            b'{"message": "the maximum context length is 8192 tokens.", "type": "BadRequestError"}',
            "too_long",
        ),
        (400, b'{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}', "too_long"),
        (413, b'{"error": "Input exceeds the context window"}', "too_long"),
        (400, b'{"error": {"code": "content_filter", "message": "no"}}', "refused"),
    ],
)
def test_what_is_the_cases_own_fate_ends_no_run(status: int, raw: bytes, ending: str) -> None:
    server = ChatServer(answering, {0: Fault(status, raw=raw)})
    assert ask(server).ending == ending
    assert len(server.arrived) == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(400, raw=b"[" * 100_000), "does not accept the request"),
        (Fault(401, raw=b'{"error": {"code": "invalid_api_key"}}'), "does not know this key"),
        (Fault(403, raw=b"{}"), "does not allow"),
        (Fault(404, raw=b"{}"), "no such model"),
        (Fault(400, raw=b'{"error": {"code": "unsupported_parameter"}}'), "unsupported_parameter"),
        (Fault(307, {"Location": "http://127.0.0.1:1/v1"}, b""), "redirects are not followed"),
        (Fault(429, raw=b'{"error": {"code": "insufficient_quota"}}'), "quota"),
    ],
)
def test_what_no_patience_mends_ends_the_run_at_once(fault: Fault, said: str) -> None:
    server = ChatServer(answering, {0: fault})
    with pytest.raises(EndpointError, match=said) as raised:
        ask(server)
    assert len(server.arrived) == 1
    assert "key-123" not in str(raised.value)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
def test_no_message_repeats_what_was_sent(status: int) -> None:
    echo = f'{{"error": {{"code": "{SECRET}", "message": "{SECRET}"}}, "model": "{SECRET}", "choices": "{SECRET}"}}'
    faults = {at: Fault(status, raw=echo.encode()) for at in range(4)}
    with pytest.raises(EndpointError) as raised:
        ask(ChatServer(answering, faults))
    for fault in (raised.value, raised.value.__cause__, raised.value.__context__):
        assert "99123456" not in str(fault) and "ladder" not in repr(fault)


def test_half_a_surrogate_pair_can_be_sent_again() -> None:
    server = ChatServer(lambda _: reply(message("a\ud800b", ("labs", '{"x": "\udfff"}'))))
    answer = ask(server)
    assert answer.text == "a�b" and answer.calls[0].arguments == '{"x": "�"}'
