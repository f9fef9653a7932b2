"""A turn with native tool calls, as the turn of the text protocol that it is: the same rules, nothing repaired.

What was written first decides: an answer in the text ends the turn before its calls; of several calls the first is made
and the others are discarded. Arguments that are not JSON make a `bad_json` call, whatever they would become inside
other text; so does a call written as text, which is another dialect here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tirec.agent.parse import CALL_CLOSE, CALL_OPEN, Fault, Kind, ParsedTurn, is_json, parse_turn

_UNREADABLE = ""


@dataclass(frozen=True, slots=True)
class NativeCall:
    """One tool call of a server's answer: `arguments` is the model's own text."""

    id: str
    name: str
    arguments: str


def native_turn(text: str, calls: Sequence[NativeCall]) -> ParsedTurn:
    """The turn that a model wrote as `text` and then `calls`."""
    written = parse_turn(text)
    if written.closed or not calls:
        return _without_calls(written, calls)
    first, *others = calls
    block = _block(first)
    faults = [*(fault for fault in written.faults if fault is not Fault.UNCLOSED)]
    faults += [Fault.SECOND_BLOCK] if written.kind is not Kind.NEITHER else []
    faults += [Fault.TEXT_AFTER] if others else []
    return ParsedTurn(
        kind=Kind.CALL,
        text=f"{written.text}\n{block}" if written.text else block,
        content=_content(first),
        discarded="\n".join(map(_block, others)),
        faults=tuple(dict.fromkeys(faults)),
        closed=bool(others) or is_json(first.arguments),  # at the token limit the only call may be cut
    )


def _without_calls(written: ParsedTurn, calls: Sequence[NativeCall]) -> ParsedTurn:
    """A turn whose text decides; native calls after an answer are discarded."""
    faults = list(written.faults) + ([Fault.TEXT_AFTER] if calls else [])
    content = written.content
    if written.kind is Kind.CALL:
        faults.append(Fault.OTHER_DIALECT)
        content = _UNREADABLE
    discarded = "\n".join([*filter(None, [written.discarded]), *map(_block, calls)])
    return written._replace(content=content, discarded=discarded, faults=tuple(dict.fromkeys(faults)))


def _block(call: NativeCall) -> str:
    """A call as the text protocol would show it, with the arguments as the model wrote them."""
    return f"{CALL_OPEN}\n{_object(call)}\n{CALL_CLOSE}"


def _object(call: NativeCall) -> str:
    return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {call.arguments}}}'


def _content(call: NativeCall) -> str:
    return _object(call) if is_json(call.arguments) else _UNREADABLE
