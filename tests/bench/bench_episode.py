"""Calls per second on one core: the pure episode with its dictionary, beside tool servers on loopback doing the same.

python tests/bench/bench_episode.py

Two servers: the leanest of the standard library, and the usual one, FastAPI on uvicorn asked by httpx (measured where
it is installed: `.venv-verl/bin/python` has it). Server and client share the process: processor time counts both.
"""

import http.client
import importlib.util
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Annotated, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent_cases import FUNCTIONS, toy_case

from tirec.agent.environment import Environment, Observation, Outcome, RecordEnvironment
from tirec.agent.episode import Episode
from tirec.agent.parse import answer_text, call_text

CASE = toy_case(texts={name: "HIGH, rising: 121 /min\n" * 20 for name in FUNCTIONS})
CALLS = FUNCTIONS[:12]


def answered(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a server sends back."""
    found = RecordEnvironment(CASE).call(name, arguments)
    return {"text": found.text, "rows": found.rows, "outcome": found.outcome}


def observed(sent: Mapping[str, Any]) -> Observation:
    """What a client makes of it."""
    return Observation(sent["text"], tuple(sent["rows"]), Outcome(sent["outcome"]))


class LeanServer(BaseHTTPRequestHandler):
    """Answers a call with the observation as JSON."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Reads {name, arguments}, writes {text, rows, outcome}."""
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(answered(call["name"], call["arguments"])).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class LeanClient:
    """The environment behind a kept-alive connection of the standard library."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self._connection = connection

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Asks the server."""
        self._connection.request("POST", "/call", json.dumps({"name": name, "arguments": dict(arguments)}))
        return observed(json.loads(self._connection.getresponse().read()))


@contextmanager
def lean() -> Iterator[Environment]:
    """A tool server and its client by the standard library."""
    server = HTTPServer(("127.0.0.1", 0), LeanServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port)) as connection:
        yield LeanClient(connection)
    server.shutdown()


class UsualClient:
    """The environment behind a kept-alive connection of httpx."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Asks the server."""
        return observed(self._client.post("/call", json={"name": name, "arguments": dict(arguments)}).json())


@contextmanager
def usual() -> Iterator[Environment]:
    """A tool server as it is usually written, FastAPI on uvicorn, and an httpx client."""
    import fastapi
    import httpx
    import uvicorn

    app = fastapi.FastAPI()

    @app.post("/call")
    def call(
        name: Annotated[str, fastapi.Body()], arguments: Annotated[dict[str, Any], fastapi.Body()]
    ) -> dict[str, Any]:
        return answered(name, arguments)

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        yield UsualClient(client)
    server.should_exit = True
    thread.join()


def calls_per_second(environment: Environment, episodes: int) -> float:
    """Whole episodes of twelve calls and an answer, parsed and judged; calls per second of processor time."""
    turns = [*map(call_text, CALLS), answer_text("0.5")]
    start = time.process_time()
    for _ in range(episodes):
        episode = Episode(environment)
        for turn in turns:
            episode.take(turn)
    return episodes * len(CALLS) / (time.process_time() - start)


def best(environment: Environment, episodes: int) -> float:
    """The best of five tries, so that a busy machine counts less."""
    return max(calls_per_second(environment, episodes) for _ in range(5))


def main() -> None:
    """Prints the rates and the ratios."""
    pure = best(RecordEnvironment(CASE), 500)
    print(f"dictionary {pure:,.0f} calls/s")
    servers = {"http.server": lean}
    if importlib.util.find_spec("fastapi"):
        servers["FastAPI, httpx"] = usual
    for name, server in servers.items():
        with server() as environment:
            remote = best(environment, 30)
        print(f"{name} {remote:,.0f} calls/s, ratio {pure / remote:,.0f}")


if __name__ == "__main__":
    main()
