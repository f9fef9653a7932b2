"""One episode as a conversation: which messages a request holds, and what follows after each answer."""

import re
from typing import Any

from tirec.agent.cases import Case
from tirec.agent.environment import RecordEnvironment
from tirec.agent.episode import Episode, Reply, Stop
from tirec.agent.inert import escape_tags
from tirec.agent.native import NativeCall, native_turn
from tirec.agent.parse import Kind, ParsedTurn, parse_call, parse_turn
from tirec.agent.trajectories import Tokens
from tirec.agent.words import Message
from tirec.config.agent import ProtocolConfig
from tirec.config.chat import ChatConfig
from tirec.policy.chat.completion import Completion
from tirec.policy.chat.prompts import ChatPrompts

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Conversation:
    """Plays one case's Episode over messages; `opening` is what the model read first."""

    def __init__(self, case: Case, config: ChatConfig, rules: ProtocolConfig, prompts: ChatPrompts) -> None:
        self._config = config
        self._answer_turn = prompts.words.answer_turn
        self.opening = prompts.opening(case)
        self._messages = list(self.opening)
        self.episode = _episode(case, config, rules, prompts)
        self._fixed = _fixed_fields(config, prompts)
        self._first: Completion | None = None
        self._last: Completion | None = None
        self._written = 0

    def request(self) -> dict[str, Any]:
        """The body of the next request."""
        return {**self._fixed, "messages": list(self._messages)}

    def take(self, answer: Completion) -> None:
        """Takes the model's turn and adds what is said in return."""
        self._count(answer)
        if answer.ending == "too_long":
            self.episode.out_of_room()
            return
        turn = self._turn(answer)
        reply = self.episode.take_parsed(turn, Stop.LENGTH if answer.ending == "length" else Stop.END)
        if reply is not None:
            self._messages += self._exchange(turn, answer, reply)

    def tokens(self) -> Tokens | None:
        """Tokens by the server's own count; None where it does not count.

        Everything after the first prompt is the response: the last request's prompt and answer, less that prompt.
        """
        if self._first is None or self._last is None:
            return None
        counts = (self._first.prompt_tokens, self._last.prompt_tokens, self._last.written_tokens)
        if any(count is None for count in counts):
            return None
        first, last, written = (count or 0 for count in counts)
        return Tokens(prompt=first, response=last + written - first, written=self._written)

    def _count(self, answer: Completion) -> None:
        if answer.prompt_tokens is None:
            return
        self._first = self._first or answer
        self._last = answer
        self._written += answer.written_tokens or 0

    def _turn(self, answer: Completion) -> ParsedTurn:
        if self._config.mode == "native":
            return native_turn(answer.text, answer.calls)
        return parse_turn(answer.text)

    def _exchange(self, turn: ParsedTurn, answer: Completion, reply: Reply) -> list[Message]:
        """The model's turn and what comes back, as the next request shows them."""
        shown = escape_tags(reply.text)
        if self._config.mode == "native" and (call := _repeatable(turn, answer)):
            wrote: Message = {"role": "assistant", "content": answer.text or None, "tool_calls": [_as_sent(call)]}
            returned = [{"role": "tool", "tool_call_id": call.id, "content": shown}]
        elif self._config.mode == "native":
            wrote, returned = _assistant(turn), [{"role": "user", "content": shown}]
        elif self._config.functions == "template":
            wrote, returned = _assistant(turn), [{"role": "tool", "content": shown}]
        else:
            response = f"<tool_response>\n{shown}\n</tool_response>"
            wrote, returned = _assistant(turn), [{"role": "user", "content": response}]
        return [wrote, *self._with_answer_turn(returned, asks=reply.answer_turn)]

    def _with_answer_turn(self, returned: list[Message], *, asks: bool) -> list[Message]:
        """After the last call the fixed sentence; two user messages in a row become one, as some templates demand."""
        if not asks:
            return returned
        *before, last = returned
        if last["role"] == "user":
            return [*before, {"role": "user", "content": f"{last['content']}\n\n{self._answer_turn}"}]
        return [*returned, {"role": "user", "content": self._answer_turn}]


def _episode(case: Case, config: ChatConfig, rules: ProtocolConfig, prompts: ChatPrompts) -> Episode:
    if config.variant == "full_context":
        return Episode(RecordEnvironment(case, ()), 0, "end", prompts.words.notices())
    return Episode(RecordEnvironment(case), rules.calls, rules.after_budget, prompts.words.notices())


def _fixed_fields(config: ChatConfig, prompts: ChatPrompts) -> dict[str, Any]:
    """What every request of a model holds besides the messages."""
    fields: dict[str, Any] = {"model": config.model}
    if config.mode == "native":
        fields |= {"tools": prompts.tools, "tool_choice": "auto", "parallel_tool_calls": False}
    elif config.functions == "template":
        fields |= {"tools": prompts.tools, "tool_choice": "none"}
    fields |= config.decoding.fields()
    return {name: value for name, value in fields.items() if value is not None}


def _assistant(turn: ParsedTurn) -> Message:
    """What counts of a turn, as text; what was discarded is not shown again."""
    return {"role": "assistant", "content": turn.text}


def _repeatable(turn: ParsedTurn, answer: Completion) -> NativeCall | None:
    """The native call of a turn, if servers accept it in the history; a malformed one is shown as text instead."""
    if turn.kind is not Kind.CALL or not answer.calls or not turn.content:
        return None
    call = parse_call(turn.content)
    well_formed = call is not None and call.arguments is not None and _NAME.fullmatch(call.name)
    return answer.calls[0] if well_formed else None


def _as_sent(call: NativeCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
