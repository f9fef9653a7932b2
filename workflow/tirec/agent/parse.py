"""Reads what the model wrote in one turn; pure, total, and linear in its length.

One dialect is accepted: `<tool_call>{"name": …, "arguments": {}}</tool_call>` or `<answer>p</answer>`. Whatever else a
model writes is named as a fault and never repaired.
"""

import json
import re
from enum import StrEnum
from typing import Any, NamedTuple, NoReturn

CALL_OPEN, CALL_CLOSE = "<tool_call>", "</tool_call>"
ANSWER_OPEN, ANSWER_CLOSE = "<answer>", "</answer>"
CLOSERS = (CALL_CLOSE, ANSWER_CLOSE)

_CONTROL = re.compile(r"<\|[A-Za-z_]{1,40}\|>")
_OTHER_DIALECTS = ("<function=", "<function_call>", "<|python_tag|>", "[TOOL_CALLS]", "```tool_code", "<invoke ")
_PROBABILITY = re.compile(r"0(?:\.[0-9]+)?|1(?:\.0+)?")
_LENIENT = re.compile(r"([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?|[0-9]+\.)[ ]?(%?)\.?")
_WHITE = " \t\r\n"
_LENIENT_LENGTH = 64
_MAX_BRACKETS = 64
_CALL_KEYS = frozenset({"name", "arguments"})


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys occur once: two names in one call are no call."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key occurs twice")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_NOTHING = object()
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)


class Kind(StrEnum):
    """What a turn is."""

    CALL = "call"
    ANSWER = "answer"
    NEITHER = "neither"


class Fault(StrEnum):
    """A breach of the protocol in the model's own text."""

    TEXT_AFTER = "text_after"
    SECOND_BLOCK = "second_block"
    UNOPENED = "unopened"
    UNCLOSED = "unclosed"
    TOOL_RESPONSE = "tool_response"
    THINK = "think"
    CONTROL = "control"
    OTHER_DIALECT = "other_dialect"


class ParsedTurn(NamedTuple):
    """A turn: `text` is what counts (through the first closing tag), `content` what stood in the tag."""

    kind: Kind
    text: str
    content: str
    discarded: str
    faults: tuple[Fault, ...]
    closed: bool


class ParsedCall(NamedTuple):
    """A call that is valid JSON; `arguments` is None where it is missing, no object, or has company."""

    name: str
    arguments: dict[str, Any] | None


def call_text(name: str) -> str:
    """A call of function `name` exactly as the chat template writes one."""
    return f'{CALL_OPEN}\n{{"name": "{name}", "arguments": {{}}}}\n{CALL_CLOSE}'


def answer_text(probability: str) -> str:
    """An answer block around a probability already written as text."""
    return f"{ANSWER_OPEN}{probability}{ANSWER_CLOSE}"


def turn_closed(text: str) -> bool:
    """Whether the model-written text holds a closing call or answer tag, so that generation must stop."""
    return CALL_CLOSE in text or ANSWER_CLOSE in text


def parse_turn(text: str) -> ParsedTurn:
    """Splits a turn at its first closing tag; a later one, and everything else after it, is discarded."""
    end, closer = _first_closer(text)
    head, discarded = text[:end], text[end:]
    kind = _kind(head, closer)
    content = _content(head, kind, closer)
    return ParsedTurn(kind, head, content, discarded, _faults(head, discarded, closer), closed=bool(closer))


def _first_closer(text: str) -> tuple[int, str]:
    """The end of the first closing tag and the tag, or the length of the text and ''."""
    call, answer = text.find(CALL_CLOSE), text.find(ANSWER_CLOSE)
    if call >= 0 and (answer < 0 or call < answer):
        return call + len(CALL_CLOSE), CALL_CLOSE
    if answer >= 0:
        return answer + len(ANSWER_CLOSE), ANSWER_CLOSE
    return len(text), ""


def _kind(head: str, closer: str) -> Kind:
    if closer:
        return Kind.CALL if closer == CALL_CLOSE else Kind.ANSWER
    if ANSWER_OPEN in head:
        return Kind.ANSWER
    return Kind.CALL if CALL_OPEN in head else Kind.NEITHER


def _content(head: str, kind: Kind, closer: str) -> str:
    """The text between the first opening tag of the turn's kind and the end; '' where none opened."""
    if kind is Kind.NEITHER:
        return ""
    opener = CALL_OPEN if kind is Kind.CALL else ANSWER_OPEN
    start = head.find(opener)
    if start < 0:
        return ""
    return head[start + len(opener) : len(head) - len(closer)].strip(_WHITE)


def _faults(head: str, discarded: str, closer: str) -> tuple[Fault, ...]:
    if _is_plain(head, closer) and not discarded:
        return ()
    opened = head.count(CALL_OPEN) + head.count(ANSWER_OPEN)
    matching = CALL_OPEN if closer == CALL_CLOSE else ANSWER_OPEN
    checks = (
        (Fault.TEXT_AFTER, bool(discarded.strip(_WHITE))),
        (Fault.SECOND_BLOCK, opened > 1),
        (Fault.UNOPENED, bool(closer) and matching not in head),
        (Fault.UNCLOSED, not closer and opened > 0),
        (Fault.TOOL_RESPONSE, "<tool_response>" in head or "</tool_response>" in head),
        (Fault.THINK, "<think>" in head or "</think>" in head),
        (Fault.CONTROL, _CONTROL.search(head) is not None),
        (Fault.OTHER_DIALECT, any(mark in head for mark in _OTHER_DIALECTS)),
    )
    return tuple(fault for fault, found in checks if found)


def _is_plain(head: str, closer: str) -> bool:
    """Whether the turn has one tag pair and nothing that could be another tag: the usual turn, judged quickly."""
    opener = CALL_OPEN if closer == CALL_CLOSE else ANSWER_OPEN
    return bool(closer) and head.count("<") == 2 and opener in head and "[" not in head and "`" not in head


def parse_call(content: str) -> ParsedCall | None:
    """The call in a block's content; None where it is not exactly one JSON object with a text under `name`."""
    value = _decoded(content)
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    arguments = value.get("arguments")
    exact = isinstance(arguments, dict) and value.keys() == _CALL_KEYS
    return ParsedCall(value["name"], arguments if exact else None)


def is_json(text: str) -> bool:
    """Whether a text is exactly one JSON value, read as strictly as a call."""
    return _decoded(text) is not _NOTHING


def _decoded(text: str) -> Any:
    """The one JSON value that a text is, or _NOTHING."""
    if text.count("{") + text.count("[") > _MAX_BRACKETS:
        return _NOTHING
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _NOTHING


def parse_probability(content: str) -> float | None:
    """p of an answer: the whole content is one plain ASCII decimal in [0, 1]; anything else is None."""
    return float(content) if _PROBABILITY.fullmatch(content) else None


def parse_probability_leniently(text: str) -> float | None:
    """p as a generous reader takes it (`.5`, `35%`, `1e-1`, an unclosed tag): a sensitivity column, never a score."""
    start = text.rfind(ANSWER_OPEN)
    if start < 0:
        return None
    content = text[start + len(ANSWER_OPEN) :].partition("<")[0].strip(_WHITE)
    match = _LENIENT.fullmatch(content) if len(content) <= _LENIENT_LENGTH else None
    if match is None:
        return None
    value = float(match[1]) / (100 if match[2] else 1)
    return value if 0 <= value <= 1 else None
