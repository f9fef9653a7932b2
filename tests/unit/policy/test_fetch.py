"""Fetching the base model, from a hub imitated on loopback: whole or not at all, checked ever after."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"model_type": "qwen3"}',
    "model.safetensors": b"\x00weights" * 1000,
    "tokenizer.json": b"{}",
    "pytorch_model.bin": b"never fetched",
    "README.md": b"never fetched",
}
OVERLAY = f"model: {{base: models/small, repository: someone/small, revision: {COMMIT}}}\n"


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as a download asks for: the files of one commit."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if self.path.startswith(f"/api/models/someone/small/revision/{COMMIT}"):
            listed = [{"rfilename": name, "size": len(content)} for name, content in FILES.items()]
            told = {
                "id": "someone/small",
                "sha": COMMIT,
                "siblings": listed,
                "private": False,
                "tags": [],
                "downloads": 0,
            }
            self._answer(json.dumps(told).encode(), "application/json")
        elif self.path.startswith(f"/api/models/someone/small/tree/{COMMIT}"):
            listed = [
                {"type": "file", "path": name, "size": len(data), "oid": "0" * 40} for name, data in FILES.items()
            ]
            self._answer(json.dumps(listed).encode(), "application/json")
        elif (name := self.path.removeprefix(f"/someone/small/resolve/{COMMIT}/")) in FILES:
            self._answer(FILES[name], "application/octet-stream")
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RevisionNotFound")
            self.end_headers()

    def _answer(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        headers = {"Content-Type": kind, "Content-Length": len(content), "X-Repo-Commit": COMMIT}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def fetch(folder: Path, endpoint: str, *options: str, overlay: str = OVERLAY) -> tuple[int, str]:
    """`make model` in a folder of its own; exit code and what was said."""
    (folder / "mine.yaml").write_text(overlay)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment |= {
        "PYTHONPATH": str(ROOT / "workflow"),
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder / "cache"),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/fetch_model.py", "--configfile", "mine.yaml", *options],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_a_model_is_fetched_once_and_checked_ever_after(hub: str, tmp_path: Path) -> None:
    assert fetch(tmp_path, hub) == (0, f"models/small: fetched someone/small at {COMMIT}\n")
    folder = tmp_path / "models/small"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: FILES[name] for name in ("config.json", "model.safetensors", "tokenizer.json")
    }
    told = json.loads((tmp_path / "models/small.json").read_text())
    assert told["files"]["config.json"] == hashlib.sha256(FILES["config.json"]).hexdigest()
    nowhere = "http://127.0.0.1:9"  # once fetched, no network is needed
    assert fetch(tmp_path, nowhere)[1].endswith("every file as it was fetched\n")
    (folder / "model.safetensors").write_bytes(b"other weights")
    code, said = fetch(tmp_path, nowhere)
    assert (code, said.count("\n")) == (2, 1)
    assert "model.safetensors: is not the file that was fetched" in said


@pytest.mark.slow
def test_without_a_network_one_line_says_what_to_do_and_nothing_is_there(tmp_path: Path) -> None:
    code, said = fetch(tmp_path, "http://127.0.0.1:9")
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith(f"error: someone/small at {COMMIT} could not be fetched")
    assert not (tmp_path / "models/small").exists()


@pytest.mark.slow
def test_a_revision_that_is_not_there_is_told(hub: str, tmp_path: Path) -> None:
    code, said = fetch(tmp_path, hub, overlay=OVERLAY.replace(COMMIT, "f" * 40))
    assert (code, said.count("\n")) == (2, 1)
    assert "could not be fetched" in said
