"""What a server answered to one request, read strictly from the body of its reply."""

import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from tirec.agent.native import NativeCall

_MODEL_ID = re.compile(r"[A-Za-z0-9_./:@+-]{1,200}")
Ending = Literal["stop", "length", "too_long", "refused"]


class MalformedReplyError(ValueError):
    """A reply that is not what the interface promises; holds nothing of its content."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One turn of a model: its text and calls, why it ended, the tokens it took, which model says so, and when."""

    text: str
    calls: tuple[NativeCall, ...]
    ending: Ending
    prompt_tokens: int | None
    cached_tokens: int
    written_tokens: int | None
    served: str | None
    at: str

    def to_json(self) -> dict[str, Any]:
        """As the cache keeps it."""
        return asdict(self)


def from_json(kept: dict[str, Any]) -> Completion:
    """A completion of the cache."""
    calls = tuple(NativeCall(**call) for call in kept["calls"])
    return Completion(**{**kept, "calls": calls})


def today() -> str:
    """The day (UTC) that is kept beside an answer."""
    return datetime.now(UTC).date().isoformat()


def unwritten(ending: Literal["too_long", "refused"]) -> Completion:
    """The turn of a server that declined: the prompt was too long for it, or its filter refused."""
    return Completion("", (), ending, None, 0, None, None, today())


def read_completion(body: object) -> Completion:
    """The completion in a reply's body; raises MalformedReplyError where a promised field is missing or of no use."""
    choice = _first(_field(body, "choices", list))
    message = _field(choice, "message", dict)
    reason = choice.get("finish_reason")
    usage = _part(body, "usage")
    return Completion(
        text=_text(message),
        calls=tuple(map(_call, _listed(message.get("tool_calls")))),
        ending="length" if reason == "length" else "refused" if reason == "content_filter" else "stop",
        prompt_tokens=_count(usage, "prompt_tokens"),
        cached_tokens=_count(_part(usage, "prompt_tokens_details"), "cached_tokens") or 0,
        written_tokens=_count(usage, "completion_tokens"),
        served=_model_id(_field(body, "model", str)),
        at=today(),
    )


def _part(holder: object, name: str) -> Any:
    return holder.get(name) if isinstance(holder, dict) else None


def _field(holder: object, name: str, kind: type) -> Any:
    found = _part(holder, name)
    if not isinstance(found, kind):
        raise MalformedReplyError(f"{name} is missing or no {kind.__name__}")
    return found


def _first(choices: list[Any]) -> dict[str, Any]:
    if not choices or not isinstance(choices[0], dict):
        raise MalformedReplyError("choices is empty")
    return choices[0]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        raise MalformedReplyError("content is no text")
    return _whole(content or "")


def _listed(calls: object) -> list[Any]:
    if calls is not None and not isinstance(calls, list):
        raise MalformedReplyError("tool_calls is no list")
    return calls or []


def _call(call: object) -> NativeCall:
    function = _field(call, "function", dict)
    fields = (_field(call, "id", str), _field(function, "name", str), _field(function, "arguments", str))
    return NativeCall(*map(_whole, fields))


def _whole(text: str) -> str:
    """Text that can be sent again: half a surrogate pair, which no encoding knows, becomes the replacement mark."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _model_id(name: str) -> str:
    """The server's name for its model, which messages may show: a word, not whatever a server might echo."""
    if not _MODEL_ID.fullmatch(name):
        raise MalformedReplyError("model is not the name of one")
    return name


def _count(usage: object, name: str) -> int | None:
    found = _part(usage, name)
    return found if isinstance(found, int) and found >= 0 else None
