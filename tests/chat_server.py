"""A real OpenAI-compatible server on the loopback interface whose model is a function and whose faults are planned."""

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import serving

Body = dict[str, Any]


@dataclass
class Fault:
    """What happens instead of an answer; `drop` hangs up, `wait_s` delays an answer that is right."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    drop: bool = False
    wait_s: float = 0.0


class ChatServer:
    """Counts what arrives; answers with `model(body)` unless a fault is planned for this arrival."""

    def __init__(self, model: Callable[[Body], Any], faults: dict[int, Fault] | None = None, name: str = "toy") -> None:
        self.model, self.faults, self.name = model, faults or {}, name
        self.arrived: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.inside = self.most_inside = 0
        self.lock = threading.Lock()

    def repeated(self) -> list[str]:
        """Requests that were answered more than once."""
        counted = Counter(json.dumps(body, sort_keys=True) for body in self.arrived)
        return [body for body, n in counted.items() if n > 1]

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serves and yields the base URL."""
        with serving(type("Handler", (_Handler,), {"server_of_test": self})) as url:
            yield f"{url}/v1"


def message(content: str | None = None, *calls: tuple[str, str]) -> Body:
    """A model's turn: text and native calls as (name, arguments)."""
    made = [
        {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, **({"tool_calls": made} if made else {})}


def reply(turn: Body | str, name: str = "toy", finish: str = "stop", **usage: int) -> Body:
    """A chat completion around a turn."""
    counts = {"prompt_tokens": 100, "completion_tokens": 10} | usage
    turn = message(turn) if isinstance(turn, str) else turn
    choice = {"index": 0, "message": turn, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "model": name, "choices": [choice], "usage": counts}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_test: ChatServer

    def do_POST(self) -> None:
        test = self.server_of_test
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with test.lock:
            number = len(test.arrived)
            test.arrived.append(body)
            test.headers.append(dict(self.headers))
            test.times.append(time.monotonic())
            test.inside += 1
            test.most_inside = max(test.most_inside, test.inside)
        try:
            self._answer(body, test.faults.get(number, Fault()))
        finally:
            with test.lock:
                test.inside -= 1

    def _answer(self, body: Body, fault: Fault) -> None:
        if fault.drop:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        time.sleep(fault.wait_s)
        answer = fault.raw if fault.raw is not None else json.dumps(self.server_of_test.model(body)).encode()
        self.send_response(fault.status)
        for name, value in {"Content-Length": str(len(answer)), **fault.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection |= "Content-Length" in fault.headers  # it promised more than there is

    def finish(self) -> None:
        with suppress(OSError, ValueError):
            super().finish()

    def handle(self) -> None:
        with suppress(OSError, ValueError):
            super().handle()

    def log_message(self, *_: object) -> None:
        """Quiet."""
