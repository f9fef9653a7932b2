"""The guard in the script: the class in the files outweighs the one on the command line, and no row is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Fault
from chat_study import Study, start, toy
from front_ends import run_script

from tirec.agent.cases import open_cases
from tirec.provenance import sidecar


def test_rows_do_not_leave_the_machine(tmp_path: Path) -> None:
    study = Study(tmp_path, "credentialed")
    study.data_class = "synthetic"
    code, said = run_script("predict_chat", *study.arguments("https://api.example.org/v1"))
    assert code == 2
    assert "api.example.org: credentialed rows of mcmed may not go there" in said
    assert not (tmp_path / "predictions").exists()


def test_rows_without_a_record_of_their_class_do_not_either(tmp_path: Path) -> None:
    study = Study(tmp_path, "synthetic")
    sidecar(study.folder / "test.arrow").unlink()
    code, said = run_script("predict_chat", *study.arguments("https://api.example.org/v1"))
    assert (code, "credentialed rows of mcmed may not go there" in said) == (2, True)


def test_an_unsigned_attestation_opens_nothing(tmp_path: Path) -> None:
    study = Study(tmp_path, "credentialed")
    file = tmp_path / "attestation.yaml"
    statement = {"service": "api.example.org", "dataset": "mcmed", "basis": "mine", "signer": "me"}
    file.write_text(json.dumps(statement | {"signed": "2026-01-01", "expires": "2026-12-31"}))
    code, said = run_script("predict_chat", *study.arguments("https://api.example.org/v1", attestation=str(file)))
    assert (code, "not signed" in said) == (2, True)


@pytest.mark.parametrize("status", [None, 200, 400, 401, 429, 500])
def test_no_row_reaches_log_or_exception(tmp_path: Path, status: int | None) -> None:
    """Even where the server echoes the prompt in its faults, as real servers do."""
    study = Study(tmp_path, "credentialed")
    cases = [case for split in ("validation", "test") for case in open_cases(tmp_path / f"{split}.arrow")]

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
    sent = json.dumps(server.arrived)
    rows = {row for case in cases for row in (case.view, *case.texts.values())}
    assert [row for row in rows if row in sent]
    assert not [row for row in rows if row in said]
    assert (tmp_path / "toy.jsonl").stat().st_mode & 0o077 == 0
