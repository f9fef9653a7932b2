"""One episode as a pure state machine over text: no tokens, no files, no model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from tirec.agent.environment import RAN, Environment, Observation, Outcome
from tirec.agent.parse import (
    Fault,
    Kind,
    ParsedTurn,
    parse_call,
    parse_probability,
    parse_probability_leniently,
    parse_turn,
)

AfterBudget = Literal["answer_turn", "end"]
DEFAULT_NOTICES: Mapping[Outcome, str] = {
    Outcome.REPEATED: "Already given above.",
    Outcome.UNKNOWN_FUNCTION: "No such function.",
    Outcome.BAD_ARGUMENTS: "Functions take an empty argument object.",
    Outcome.BAD_JSON: "The call is not one valid JSON object.",
}


class Stop(StrEnum):
    """Why the model stopped writing."""

    CLOSED = "closed"
    END = "end"
    LENGTH = "length"


class Finish(StrEnum):
    """How an episode ended."""

    ANSWERED = "answered"
    NO_ANSWER = "no_answer"
    BAD_ANSWER = "bad_answer"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt to call a function; `function` is None where no name could be read.

    `rows` are source rows of the function's table, `further_rows` those of other tables by table.
    """

    function: str | None
    outcome: Outcome
    rows: tuple[int, ...]
    turn: int
    further_rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def cited(self) -> int:
        """How many source rows stand behind what it gave."""
        return len(self.rows) + sum(map(len, self.further_rows.values()))


@dataclass(frozen=True, slots=True)
class Reply:
    """What is inserted after a turn: a tool response, and after the last call the sentence that asks for the answer."""

    text: str
    answer_turn: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model wrote in one turn, what of it was discarded, what was wrong, and what came back."""

    text: str
    discarded: str
    faults: tuple[Fault, ...]
    reply: Reply | None
    forced: bool = False


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """A finished episode: all that rewards, metrics and figures may look at."""

    turns: tuple[Turn, ...]
    calls: tuple[Call, ...]
    finish: Finish
    p: float | None
    p_lenient: float | None


class Episode:
    """Takes the model's turns one by one and says what to insert after each, until it is finished."""

    def __init__(
        self,
        environment: Environment,
        calls: int = 12,
        after_budget: AfterBudget = "answer_turn",
        notices: Mapping[Outcome, str] = DEFAULT_NOTICES,
    ) -> None:
        self._environment = environment
        self._budget = calls
        self._after_budget = after_budget
        self._notices = notices
        self._seen: set[tuple[str, str]] = set()
        self.turns: list[Turn] = []
        self.calls: list[Call] = []
        self.finish: Finish | None = None
        self.p: float | None = None
        self.p_lenient: float | None = None

    @property
    def finished(self) -> bool:
        """Whether no further turn is taken."""
        return self.finish is not None

    def take(self, text: str, stop: Stop = Stop.CLOSED, *, forced: bool = False) -> Reply | None:
        """Takes one turn of text; returns what to insert after it, or None where the episode is finished.

        `forced` marks a call that the environment wrote for a study. Raises RuntimeError on a finished episode.
        """
        return self.take_parsed(parse_turn(text), stop, forced=forced)

    def take_parsed(self, parsed: ParsedTurn, stop: Stop = Stop.CLOSED, *, forced: bool = False) -> Reply | None:
        """As `take`, for a turn that was not written as one text: a server's native calls (`tirec.agent.native`)."""
        if self.finished:
            raise RuntimeError("the episode is finished")
        reply = self._reply(parsed, stop)
        self.turns.append(Turn(parsed.text, parsed.discarded, parsed.faults, reply, forced))
        return reply

    def out_of_room(self) -> None:
        """Ends the episode as cut by length: the next observation or turn would not fit."""
        if self.finish is None:
            self.finish = Finish.LENGTH

    def record(self) -> EpisodeRecord:
        """The finished episode; raises RuntimeError while it runs, so that no half episode is ever scored."""
        if self.finish is None:
            raise RuntimeError("the episode is not finished")
        return EpisodeRecord(tuple(self.turns), tuple(self.calls), self.finish, self.p, self.p_lenient)

    def _reply(self, parsed: ParsedTurn, stop: Stop) -> Reply | None:
        if stop is Stop.LENGTH and not parsed.closed:
            self.finish = Finish.LENGTH
            return None
        if parsed.kind is Kind.CALL:
            return self._answer_call(parsed.content)
        self._end(parsed)
        return None

    def _end(self, parsed: ParsedTurn) -> None:
        """Finishes with whatever answer the turn holds."""
        if parsed.kind is Kind.NEITHER:
            self.finish = Finish.NO_ANSWER
            return
        self.p = parse_probability(parsed.content) if parsed.closed else None
        self.p_lenient = parse_probability_leniently(parsed.text)
        self.finish = Finish.BAD_ANSWER if self.p is None else Finish.ANSWERED

    def _answer_call(self, content: str) -> Reply | None:
        name, observation = self._observe(content)
        self.calls.append(Call(name, observation.outcome, observation.rows, len(self.turns), observation.further_rows))
        spent = len(self.calls) >= self._budget
        if observation.outcome is Outcome.OVER_BUDGET or (spent and self._after_budget == "end"):
            self.finish = Finish.NO_ANSWER
            return None
        return Reply(self._notices.get(observation.outcome, observation.text), answer_turn=spent)

    def _observe(self, content: str) -> tuple[str | None, Observation]:
        call = parse_call(content)
        name = call.name if call else None
        if len(self.calls) >= self._budget:
            return name, Observation("", (), Outcome.OVER_BUDGET)
        if call is None:
            return None, Observation("", (), Outcome.BAD_JSON)
        if call.arguments is None:
            return name, Observation("", (), Outcome.BAD_ARGUMENTS)
        return name, self._ask(call.name, call.arguments)

    def _ask(self, name: str, arguments: dict[str, object]) -> Observation:
        """Asks the environment, once for each distinct call that ran."""
        key = (name, json.dumps(arguments, sort_keys=True) if arguments else "")
        if key in self._seen:
            return Observation("", (), Outcome.REPEATED)
        observation = self._environment.call(name, arguments)
        if observation.outcome in RAN:
            self._seen.add(key)
        return observation
