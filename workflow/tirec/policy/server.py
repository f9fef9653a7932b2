"""An OpenAI-compatible server over a trained policy, for clients to be tried on; one request at a time, one machine.

`/v1/completions` takes and returns token ids, so that a client can play the policies' own protocol over HTTP.
`/v1/chat/completions` renders the history anew at each turn, as every chat server does: the numbers of a trained policy
that appear in a table never come from it.
"""

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import torch

from tirec.agent.episode import Stop
from tirec.agent.parse import CALL_OPEN, Kind, call_text, parse_call, parse_turn
from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.agent.tokens import TurnEnd
from tirec.config.agent import ProtocolConfig
from tirec.policy.decoding import Decoder
from tirec.policy.hf import LoadedPolicy

_LONGEST_BODY = 64 * 1024 * 1024


class RequestError(ValueError):
    """A request that is not answered: `status` and `code` as the interface names them."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class PolicyService:
    """What the server answers, without HTTP: one body in, one body out."""

    def __init__(self, policy: LoadedPolicy, name: str) -> None:
        self.name = name
        self._model = policy.model
        self._protocol: ChatProtocol = protocol_of(policy.tokenizer, ProtocolConfig())
        self._turn_end = TurnEnd(self._protocol)
        self._positions = int(policy.model.config.max_position_embeddings)
        self._one_at_a_time = threading.Lock()

    def models(self) -> dict[str, Any]:
        """The one model."""
        return {"object": "list", "data": [{"id": self.name, "object": "model", "owned_by": "tirec"}]}

    def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A chat completion; with `tools`, a well-formed call is given as a native one."""
        self._require_model(body)
        messages = [_as_text(message) for message in body.get("messages", [])]
        tools = body.get("tools") or None
        prompt = self._encoded(messages, tools)
        written, stop = self._write(prompt, body)
        message = message_of(self._text(written), native=bool(tools) and body.get("tool_choice") != "none")
        reason = "tool_calls" if "tool_calls" in message else _reason(stop)
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return self._reply("chat.completion", choice, prompt, written)

    def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A completion of token ids (or of a text), with the ids written."""
        self._require_model(body)
        given = body.get("prompt", "")
        prompt = self._protocol.encode(given) if isinstance(given, str) else [int(token) for token in given]
        written, stop = self._write(prompt, body)
        text = self._text(written)
        choice = {"index": 0, "text": text, "token_ids": written, "finish_reason": _reason(stop)}
        return self._reply("text_completion", choice, prompt, written)

    def _require_model(self, body: Mapping[str, Any]) -> None:
        if body.get("model") != self.name:
            raise RequestError(404, "model_not_found", f"only {self.name} is served here")
        if body.get("stream") or body.get("n", 1) != 1:
            raise RequestError(400, "unsupported_parameter", "one answer, in one piece")

    def _encoded(self, messages: list[dict[str, Any]], tools: Any) -> list[int]:
        rendered = self._protocol.tokenizer.apply_chat_template(
            messages, tools=tools, tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        return self._protocol.encode(rendered)

    def _write(self, prompt: list[int], body: Mapping[str, Any]) -> tuple[list[int], Stop]:
        """Token ids up to the end of the turn, greedily or drawn by the request's seed."""
        room = self._positions - len(prompt)
        if room < 1 or not prompt:
            raise RequestError(400, "context_length_exceeded", f"a prompt holds 1 to {self._positions - 1} tokens")
        longest = min(int(body.get("max_tokens") or room), room)
        temperature = float(body.get("temperature") or 0)
        generator = torch.Generator().manual_seed(int(body.get("seed") or 0))
        written: list[int] = []
        with self._one_at_a_time:
            decoder = Decoder(self._model)
            logits = decoder.feed([prompt])[0]
            while True:
                written.append(_drawn(logits, temperature, generator))
                if stop := self._turn_end.stop(written):
                    return written, stop
                if len(written) >= longest:
                    return written, Stop.LENGTH
                logits = decoder.feed([written[-1:]])[0]

    def _text(self, written: list[int]) -> str:
        ended = bool(written) and written[-1] in self._protocol.end_ids
        return self._protocol.decode(written[:-1] if ended else written)

    def _reply(self, kind: str, choice: dict[str, Any], prompt: list[int], written: list[int]) -> dict[str, Any]:
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(written)}
        usage["total_tokens"] = sum(usage.values())
        return {"id": "local", "object": kind, "model": self.name, "choices": [choice], "usage": usage}


def _drawn(logits: torch.Tensor, temperature: float, generator: torch.Generator) -> int:
    if temperature == 0:
        return int(logits.argmax())
    return int(torch.multinomial((logits.cpu() / temperature).softmax(-1), 1, generator=generator))


def _reason(stop: Stop) -> str:
    return "length" if stop is Stop.LENGTH else "stop"


def _as_text(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message as templates without native calls read it: calls become the text they stand for."""
    content = message.get("content") or ""
    calls = [call_text(call["function"]["name"]) for call in message.get("tool_calls") or ()]
    return {"role": message["role"], "content": "".join([content, *calls])}


def message_of(text: str, *, native: bool) -> dict[str, Any]:
    """The model's turn as a message; a call that cannot be read stays text, as with other servers."""
    turn = parse_turn(text)
    call = parse_call(turn.content) if native and turn.kind is Kind.CALL and turn.closed else None
    if call is None or call.arguments is None:
        return {"role": "assistant", "content": text}
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    before = turn.text.partition(CALL_OPEN)[0]
    return {
        "role": "assistant",
        "content": before or None,
        "tool_calls": [{"id": "call_0", "type": "function", "function": function}],
    }


def http_server(service: PolicyService, port: int) -> ThreadingHTTPServer:
    """A server on the loopback interface, bound and not yet running; port 0 takes a free one."""
    handler = type("Handler", (_Handler,), {"service": service})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    return server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: PolicyService

    def do_GET(self) -> None:
        if self.path in ("/health", "/v1/models"):
            self._send(200, self.service.models() if self.path == "/v1/models" else {})
        else:
            self._fail(404, "not_found", "no such path")

    def do_POST(self) -> None:
        answers = {"/v1/chat/completions": self.service.chat, "/v1/completions": self.service.complete}
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(length, _LONGEST_BODY))
        try:
            self._send(200, answers[self.path](json.loads(body)))
        except RequestError as fault:
            self._fail(fault.status, fault.code, str(fault))
        except KeyError as fault:
            self._fail(404 if fault.args == (self.path,) else 400, "not_found", "no such path or field")
        except (ValueError, TypeError, AttributeError):
            self._fail(400, "invalid_request", "the body is not what the interface promises")

    def _fail(self, status: int, code: str, message: str) -> None:
        self._send(status, {"error": {"message": message, "type": "invalid_request_error", "code": code}})

    def _send(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """No request line, and so nothing of a request, reaches a log."""
