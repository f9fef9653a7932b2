"""A chat model's predictions through its script: real requests, kills, costs."""

import json
import re
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Fault
from chat_study import SPLITS, N, Study, start, toy
from front_ends import run_script

from tirec.agent import trajectories
from tirec.agent.cases import open_cases


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path, "synthetic")


def test_every_case_is_answered_once_in_the_format_of_every_model(study: Study) -> None:
    server = ChatServer(toy)
    with server.running() as url:
        assert run_script("predict_chat", *study.arguments(url))[0] == 0
    found = study.predictions()
    cases = open_cases(study.folder / "test.arrow")
    assert found["instance_id"].to_list() == cases.ids
    ages = [int(re.findall(r"age (\d+)", case.view)[0]) / 100 for case in cases]
    assert found["p"].to_list() == ages
    assert set(found["finish"]) == {"answered"} and set(found["calls"]) == {1}
    assert found["tokens"].null_count() == 0
    saved = list(trajectories.read(study.folder / "trajectories" / "toy" / "test.jsonl.zst"))
    assert [one.instance_id for one in saved] == cases.ids
    assert all(one.reward and one.tokens and one.tokens.written == 6 for one in saved)
    assert server.most_inside <= 3 and server.repeated() == []


def test_the_account_sums_what_the_server_counted(study: Study) -> None:
    server = ChatServer(toy)
    price = {"input": 2.0, "output": 8.0, "currency": "EUR"}
    with server.running() as url:
        code, said = run_script("predict_chat", *study.arguments(url, price=price))
    assert code == 0
    accounts = [study.account(split=split) for split in ("validation", "test")]
    answers = [toy(body)["usage"] for body in server.arrived]
    assert sum(one["requests"] for one in accounts) == len(answers) == 2 * 2 * 3 * N
    prompt = sum(one["prompt_tokens"] for one in answers)
    written = sum(one["completion_tokens"] for one in answers)
    assert sum(one["prompt_tokens"] for one in accounts) == prompt
    assert sum(one["written_tokens"] for one in accounts) == written
    assert sum(one["cost"] for one in accounts) == pytest.approx((2 * prompt + 8 * written) / 1e6, abs=2e-6)
    assert {(one["served_model"], one["currency"], one["from_cache"]) for one in accounts} == {("toy", "EUR", 0)}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", one["first_day"]) for one in accounts)
    assert "test: 36 requests (0 answered before)" in said


def test_a_second_run_sends_nothing_and_costs_the_same(study: Study) -> None:
    server = ChatServer(toy)
    with server.running() as url:
        run_script("predict_chat", *study.arguments(url))
        before, account = study.bytes_of("toy"), study.account()
        run_script("predict_chat", *study.arguments(url, concurrency=7))
    assert server.repeated() == []
    assert study.bytes_of("toy") == before
    assert study.account() == account | {"from_cache": account["requests"]}


def test_another_decoding_or_mode_is_asked_anew(study: Study) -> None:
    server = ChatServer(toy)
    with server.running() as url:
        for changes in ({}, {"decoding": {"temperature": 0.5}}, {"mode": "native"}):
            assert run_script("predict_chat", *study.arguments(url, **changes))[0] == 0
    assert len(server.arrived) == 3 * 2 * 2 * 3 * N


@pytest.mark.parametrize("changes", [{"mode": "native"}, {"variant": "few_shot"}, {"functions": "template"}])
def test_every_way_of_asking_gives_the_same_answers_here(study: Study, changes: dict[str, str]) -> None:
    with ChatServer(toy).running() as url:
        assert run_script("predict_chat", *study.arguments(url))[0] == 0
        assert run_script("predict_chat", *study.arguments(url, "other", **changes))[0] == 0
    columns = ["instance_id", "p", "finish", "calls"]
    assert study.predictions().select(columns).equals(study.predictions("other").select(columns))


def test_few_shot_prompts_hold_training_cases_only(study: Study) -> None:
    server = ChatServer(toy)
    with server.running() as url:
        run_script("predict_chat", *study.arguments(url, variant="few_shot"))
    shown = " ".join(f"{body['messages'][0]['content']} " for body in server.arrived)
    views = {split: [case.view for case in open_cases(study.folder / f"{split}.arrow")] for split in SPLITS}
    assert sum(f"{view}\n" in shown for view in views["train"]) == 4 * 9
    assert not [view for split in ("validation", "test") for view in views[split] if view in shown]


def test_killed_and_started_again_nothing_answered_is_asked_twice(study: Study) -> None:
    gate, blocked_from = threading.Event(), 20

    def slow(body: dict[str, Any]) -> Any:
        if server.arrived.index(body) >= blocked_from:
            gate.wait(300)
        return toy(body)

    server = ChatServer(slow)
    with server.running() as url:
        process = start(study.arguments(url))
        kept = study.folder / "toy.jsonl"
        wait_for(lambda: len(server.arrived) == blocked_from + 3)
        wait_for(lambda: kept.read_bytes().count(b"\n") == blocked_from)
        process.send_signal(signal.SIGKILL)
        process.wait()
        unanswered = server.arrived[blocked_from:]
        gate.set()
        assert run_script("predict_chat", *study.arguments(url))[0] == 0
        run_script("predict_chat", *study.arguments(url, "undisturbed"))
    arrived = server.arrived[: 2 * 2 * 3 * N + len(unanswered)]
    twice = [body for body, n in Counter(map(json.dumps, arrived)).items() if n > 1]
    assert sorted(twice) == sorted(map(json.dumps, unanswered))
    assert study.predictions().equals(study.predictions("undisturbed"))
    assert study.account() | {"from_cache": 0} == study.account("undisturbed")


def wait_for(ready: Any, seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_faults_on_the_way_change_no_prediction(study: Study) -> None:
    busy, broken = Fault(429, {"Retry-After": "0"}, b""), Fault(500, raw=b"")
    faults = {3: busy, 7: Fault(drop=True), 8: broken, 15: Fault(raw=b"{")}
    with ChatServer(toy).running() as url:
        run_script("predict_chat", *study.arguments(url))
    with ChatServer(toy, faults).running() as url:
        run_script("predict_chat", *study.arguments(url, "faulty"))
    assert study.predictions().equals(study.predictions("faulty"))


def test_a_server_that_stays_broken_ends_in_one_line_and_keeps_what_it_gave(study: Study) -> None:
    broken = {at: Fault(500, raw=b"") for at in range(20, 1000)}
    server = ChatServer(toy, broken)
    with server.running() as url:
        code, said = run_script("predict_chat", *study.arguments(url))
        assert code == 2
        assert said.strip().splitlines()[-1].endswith("status 500; given up, the answers so far are kept")
        assert "Traceback" not in said
        server.faults.clear()
        before = len(server.arrived)
        run_script("predict_chat", *study.arguments(url))
    assert len(server.arrived) - before == 2 * 2 * 3 * N - 20


def test_a_case_too_long_for_the_server_is_unanswered_and_the_others_are_not(study: Study) -> None:
    with ChatServer(toy, {0: Fault(400, raw=b'{"error": {"code": "context_length_exceeded"}}')}).running() as url:
        assert run_script("predict_chat", *study.arguments(url, concurrency=1))[0] == 0
    finishes = Counter(study.predictions(split="validation")["finish"])
    assert finishes == {"length": 1, "answered": 3 * N - 1}


VALIDATION = 2 * 3 * N  # requests for the first split


@pytest.mark.parametrize(("expected", "changes_at"), [(None, 10), ("toy-2026-01-01", 10), (None, VALIDATION + 1)])
def test_another_model_behind_the_name_stops_the_run(study: Study, expected: str | None, changes_at: int) -> None:
    def changing(body: dict[str, Any]) -> Any:
        return {**toy(body), "model": "toy-2026-01-01" if len(server.arrived) < changes_at else "toy-2026-06-01"}

    server = ChatServer(changing)
    with server.running() as url:
        code, said = run_script("predict_chat", *study.arguments(url, served=expected))
    assert code == 2
    assert "an answer is of toy-2026-06-01, others are of toy-2026-01-01" in said


def test_a_key_is_taken_from_the_environment_and_nowhere_written(study: Study, monkeypatch: Any) -> None:
    server = ChatServer(toy)
    with server.running() as url:
        code, said = run_script("predict_chat", *study.arguments(url, key_env="TOY_KEY"))
        assert code == 2 and "the environment variable TOY_KEY is not set" in said
        assert server.arrived == []
        monkeypatch.setenv("TOY_KEY", "sk-very-secret")
        code, said = run_script("predict_chat", *study.arguments(url, key_env="TOY_KEY"))
    assert code == 0 and server.headers[0]["Authorization"] == "Bearer sk-very-secret"
    written = [path.read_bytes() for path in study.folder.rglob("*") if path.is_file()]
    assert not any(b"sk-very-secret" in content for content in [*written, said.encode()])
