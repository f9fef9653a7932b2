"""A chat model's predictions through its script: real requests, kills, costs, and the guard in front."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from agent_cases import PROMPTS, ROOT
from chat_server import ChatServer, Fault, message, reply
from front_ends import SCRIPTS, run_script
from tiny_policy import write_cases

from tirec.agent import trajectories
from tirec.agent.cases import open_cases
from tirec.agent.parse import call_text
from tirec.provenance import record, sidecar

N = 6  # cases per task
SPLITS = ("train", "validation", "test")


def toy(body: dict[str, Any]) -> Any:
    """Asks for labs, then answers with the patient's age in hundredths; native where tools are given."""
    age = re.search(r"age (\d+)", json.dumps(body["messages"][1]))
    asked = len(body["messages"]) > 2
    turn = message(f"<answer>0.{age[1]}</answer>") if asked and age else message(call_text("labs"))
    if not asked and body.get("tool_choice") == "auto":
        turn = message(None, ("labs", "{}"))
    words = sum(len(str(one["content"]).split()) for one in body["messages"])
    return reply(turn, prompt_tokens=words, completion_tokens=3)


def number_views(file: Path, split: str) -> None:
    """Makes every view one of its kind, so that every prompt is."""
    table = pa.ipc.open_file(file.read_bytes()).read_all()
    views = pa.array([f"{view}; {split} {at}" for at, view in enumerate(table["view"].to_pylist())])
    table = table.set_column(table.column_names.index("view"), "view", views)
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


class Study:
    """Episodes of one small study, of a class of data, and its script."""

    def __init__(self, folder: Path, data_class: str) -> None:
        self.folder, self.data_class = folder, data_class
        for split in SPLITS:
            file = folder / f"{split}.arrow"
            write_cases(file, split, 60 if split == "train" else N)
            number_views(file, split)
            record([file], {}, {}, data_class, __file__)

    def arguments(self, base_url: str, name: str = "toy", **chat: Any) -> list[str]:
        entry = {"kind": "chat", "model": "toy", "base_url": base_url, "concurrency": 3, **chat}
        entry.setdefault("retries", {"attempts": 3, "first_wait_s": 0.02, "longest_wait_s": 0.05})
        protocol = {"prompts": str(PROMPTS / "demo"), "calls": 4}
        settings = {"chat": entry, "protocol": protocol, "dataset": "mcmed"}
        flags = ["--model", name, "--settings", json.dumps(settings), "--data-class", self.data_class]
        flags += ["--episodes", str(self.folder / "validation.arrow"), str(self.folder / "test.arrow")]
        flags += ["--train", str(self.folder / "train.arrow"), "--cache", str(self.folder / f"{name}.jsonl")]
        flags += ["--log-server", str(self.folder / f"{name}.server.log")]
        return [*flags, *(f"--{kind}={self.folder / kind / name}" for kind in ("predictions", "trajectories"))]

    def predictions(self, name: str = "toy", split: str = "test") -> pl.DataFrame:
        return pl.read_parquet(self.folder / "predictions" / name / f"{split}.parquet")

    def bytes_of(self, name: str) -> list[bytes]:
        kinds = (("predictions", "parquet"), ("trajectories", "jsonl.zst"))
        return [
            (self.folder / kind / name / f"{split}.{ending}").read_bytes()
            for kind, ending in kinds
            for split in ("validation", "test")
        ]

    def account(self, name: str = "toy", split: str = "test") -> dict[str, Any]:
        file = sidecar(self.folder / "predictions" / name / f"{split}.parquet")
        return json.loads(file.read_text())["settings"]["account"]


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


def start(arguments: list[str], **environment: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(SCRIPTS / "predict_chat.py"), *arguments]
    inherited = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), **environment}
    return subprocess.Popen(command, env=inherited, stderr=subprocess.PIPE, start_new_session=True)


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


class TestCredentialed:
    """The guard in the script: the class in the files outweighs the one on the command line."""

    def test_rows_do_not_leave_the_machine(self, tmp_path: Path) -> None:
        study = Study(tmp_path, "credentialed")
        study.data_class = "synthetic"
        code, said = run_script("predict_chat", *study.arguments("https://api.example.org/v1"))
        assert code == 2
        assert "api.example.org: credentialed rows of mcmed may not go there" in said
        assert not (tmp_path / "predictions").exists()

    def test_rows_without_a_record_of_their_class_do_not_either(self, study: Study) -> None:
        sidecar(study.folder / "test.arrow").unlink()
        code, said = run_script("predict_chat", *study.arguments("https://api.example.org/v1"))
        assert (code, "credentialed rows of mcmed may not go there" in said) == (2, True)

    def test_an_unsigned_attestation_opens_nothing(self, tmp_path: Path) -> None:
        study = Study(tmp_path, "credentialed")
        file = tmp_path / "attestation.yaml"
        statement = {"service": "api.example.org", "dataset": "mcmed", "basis": "mine", "signer": "me"}
        file.write_text(json.dumps(statement | {"signed": "2026-01-01", "expires": "2026-12-31"}))
        code, said = run_script("predict_chat", *study.arguments("https://api.example.org/v1", attestation=str(file)))
        assert (code, "not signed" in said) == (2, True)

    @pytest.mark.parametrize("status", [None, 200, 400, 401, 429, 500])
    def test_no_row_reaches_log_or_exception(self, tmp_path: Path, status: int | None) -> None:
        """Even where the server echoes the prompt in its faults, as real servers do."""
        study = Study(tmp_path, "credentialed")
        case = next(iter(open_cases(tmp_path / "test.arrow")))

        def echoing(body: dict[str, Any]) -> Any:
            text = json.dumps(body["messages"])
            return {"error": {"message": text, "code": text, "type": text}, "choices": text, "model": text}

        server = ChatServer(toy) if status is None else ChatServer(echoing)
        if status is not None:
            server.faults = {at: Fault(status) for at in range(1000)}
        with server.running() as url:
            process = start(study.arguments(url), PYTHONASYNCIODEBUG="1", HTTPX_LOG_LEVEL="trace")
            said = process.communicate()[1].decode()
        assert process.returncode == (0 if status is None else 2)
        rows = [case.view, *case.texts.values()]
        assert not [row for row in rows if row in said]
        assert (tmp_path / "toy.jsonl").stat().st_mode & 0o077 == 0
