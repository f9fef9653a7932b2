"""Calls per second on one core: the pure episode with its dictionary, beside a tool server on loopback doing the same.

python tests/bench/bench_episode.py
"""

import http.client
import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent_cases import FUNCTIONS, toy_case

from tirec.agent.environment import Environment, Observation, Outcome, RecordEnvironment
from tirec.agent.episode import Episode
from tirec.agent.parse import answer_text, call_text

CASE = toy_case(texts={name: "HIGH, rising: 121 /min\n" * 20 for name in FUNCTIONS})
CALLS = FUNCTIONS[:12]


class ToolServer(BaseHTTPRequestHandler):
    """Answers a call with the observation as JSON."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Reads {name, arguments}, writes {text, rows, outcome}."""
        call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = RecordEnvironment(CASE).call(call["name"], call["arguments"])
        body = json.dumps({"text": found.text, "rows": found.rows, "outcome": found.outcome}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class RemoteEnvironment:
    """The same environment behind a kept-alive connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Asks the server."""
        self._connection.request("POST", "/call", json.dumps({"name": name, "arguments": dict(arguments)}))
        found = json.loads(self._connection.getresponse().read())
        return Observation(found["text"], tuple(found["rows"]), Outcome(found["outcome"]))


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
    """Prints both rates and their ratio."""
    server = HTTPServer(("127.0.0.1", 0), ToolServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pure, remote = best(RecordEnvironment(CASE), 500), best(RemoteEnvironment(server.server_port), 30)
    server.shutdown()
    print(f"dictionary {pure:,.0f} calls/s, loopback HTTP {remote:,.0f} calls/s, ratio {pure / remote:,.0f}")


if __name__ == "__main__":
    main()
