"""A vLLM server for as long as it is asked: started on this node's loopback, awaited, and stopped whatever happens."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO

import httpx

from tirec.config.chat import ChatConfig, ServeConfig
from tirec.errors import DataError, TirecError
from tirec.provenance import text_hash

_POLL_S = 0.5
_GRACE_S = 30.0


class ServingError(TirecError):
    """A server that did not start, or did not stay."""


@contextmanager
def served(chat: ChatConfig, serve: ServeConfig, python: str, log: Path) -> Iterator[str]:
    """Runs the server and yields its base URL; it writes to `log`. SIGTERM to this process stops it first."""
    port = _free_port()
    log.parent.mkdir(parents=True, exist_ok=True)
    with _terminable(), log.open("wb") as output:
        command = [python, *server_arguments(chat, serve, port)]
        server = _started(command, output)
        try:
            _await_health(server, port, serve.start_timeout_s, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            _stop(server)


def _started(command: list[str], output: IO[bytes]) -> subprocess.Popen[bytes]:
    """The server, leader of a group of its own so that its workers can be stopped with it."""
    try:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    except OSError:
        raise ServingError(f"{command[0]}: no interpreter there to serve with (environments.vllm)") from None


def server_arguments(chat: ChatConfig, serve: ServeConfig, port: int) -> list[str]:
    """Arguments of the interpreter that serves; the module is named because `vllm serve` needs an installed script."""
    arguments = ["-m", "vllm.entrypoints.openai.api_server", "--model", serve.weights]
    arguments += ["--served-model-name", chat.model, "--host", "127.0.0.1", "--port", str(port)]
    if chat.mode == "native":
        arguments += ["--enable-auto-tool-choice", "--tool-call-parser", serve.tool_parser]
    return [*arguments, *serve.arguments]


def weights_id(folder: Path) -> str:
    """Identity of the served files by name, size and time, so that other weights never answer from the cache."""
    if not (folder / "config.json").is_file():
        raise DataError(f"{folder}: no model here (serve.weights)")
    stats = [(path.name, path.stat()) for path in sorted(folder.iterdir()) if path.is_file()]
    return text_hash("\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats))[:16]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends this process the ordinary way, so that the server is stopped on the way out."""

    def leave(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not interrupt the stopping
        sys.exit(128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _await_health(server: subprocess.Popen[bytes], port: int, timeout_s: float, log: Path) -> None:
    deadline = time.monotonic() + timeout_s
    with httpx.Client(trust_env=False, timeout=5) as http:
        while not _healthy(http, port):
            if server.poll() is not None:
                raise ServingError(f"the server ended with {server.returncode} before it was ready; see {log}")
            if time.monotonic() > deadline:
                raise ServingError(f"the server was not ready after {timeout_s:g} s; see {log}")
            time.sleep(_POLL_S)


def _healthy(http: httpx.Client, port: int) -> bool:
    try:
        return http.get(f"http://127.0.0.1:{port}/health").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Asks the server and its workers to end, and ends them after a while."""
    _signal_group(server, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(_GRACE_S)
    _signal_group(server, signal.SIGKILL)
    server.wait()


def _signal_group(server: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, number)
