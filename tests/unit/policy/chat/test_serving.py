"""A server for the time of its questions: started, awaited, stopped, whatever happens in between."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from vllm_stand_in import stand_in

from tirec.config.chat import ChatConfig, ServeConfig
from tirec.errors import DataError
from tirec.policy.chat.serving import ServingError, served, server_arguments, weights_id

SERVE = ServeConfig(weights="models/x", start_timeout_s=60)
CHAT = ChatConfig(kind="chat", model="toy", serve=SERVE)
PLAIN = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(json.dumps(sys.argv[1:]).encode())
http.server.HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
"""


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An interpreter whose vLLM is a server that tells the arguments it was started with."""
    (tmp_path / "plain.py").write_text(PLAIN)
    file = tmp_path / "python"
    file.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path / "plain.py"} "$@"\n')
    file.chmod(0o755)
    return str(file)


def gone(url: str) -> bool:
    try:
        httpx.get(url, trust_env=False, timeout=1)
    except httpx.TransportError:
        return True
    return False


def test_a_server_is_there_for_the_block_and_gone_after_it(python: str, tmp_path: Path) -> None:
    with served(CHAT, SERVE, python, tmp_path / "deep" / "server.log") as url:
        told = httpx.get(url, trust_env=False).json()
        assert url.startswith("http://127.0.0.1:") and url.endswith("/v1")
    assert told[:4] == ["-m", "vllm.entrypoints.openai.api_server", "--model", "models/x"]
    assert gone(url)


def test_it_is_stopped_when_the_block_fails(python: str, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), served(CHAT, SERVE, python, tmp_path / "log") as url:
        assert not gone(url)
        raise ZeroDivisionError
    assert gone(url)


def start_and_stop(serve: ServeConfig, python: str, log: Path) -> None:
    with served(CHAT, serve, python, log):
        pass


def test_a_server_that_does_not_start_is_told_in_one_line(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with pytest.raises(ServingError, match="ended with 1 before it was ready"):
        start_and_stop(SERVE, stand_in(tmp_path, "fail"), log)
    assert "no such device" in log.read_text()
    impatient = SERVE.model_copy(update={"start_timeout_s": 0.5})
    with pytest.raises(ServingError, match=r"not ready after 0\.5 s"):
        start_and_stop(impatient, stand_in(tmp_path, "hang"), log)
    with pytest.raises(ServingError, match=r"environments\.vllm"):
        start_and_stop(SERVE, str(tmp_path / "nowhere" / "python"), log)


def test_terminated_it_takes_the_server_with_it(python: str, tmp_path: Path) -> None:
    program = f"""
import time
from pathlib import Path
from tirec.config.chat import ChatConfig
from tirec.policy.chat.serving import served
chat = ChatConfig.model_validate_json({CHAT.model_dump_json()!r})
with served(chat, chat.serve, {python!r}, Path({str(tmp_path / "log")!r})) as url:
    print(url, flush=True)
    time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert not gone(url)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 143
    deadline = time.monotonic() + 5
    while not gone(url):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_arguments_of_the_server() -> None:
    native = ChatConfig(kind="chat", model="toy", mode="native", serve=SERVE)
    assert server_arguments(CHAT, SERVE, 7)[2:] == [
        *("--model", "models/x", "--served-model-name", "toy", "--host", "127.0.0.1", "--port", "7"),
    ]
    more = ServeConfig(weights="x", arguments=("--max-model-len", "16384"))
    assert server_arguments(native, more, 7)[-5:] == [
        *("--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--max-model-len", "16384"),
    ]


def test_other_weights_never_answer_from_the_cache(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no model here"):
        weights_id(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    before = weights_id(tmp_path)
    assert weights_id(tmp_path) == before
    (tmp_path / "model.safetensors").write_bytes(b"other")
    assert weights_id(tmp_path) != before
