"""What an agent may ask, and what it gets back: text, the source rows behind it, and how the call went."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tirec.agent.cases import Case


class Outcome(StrEnum):
    """How a call went; the first two ran, a repeat cost budget and nothing else."""

    OK = "ok"
    EMPTY = "empty"
    REPEATED = "repeated"
    UNKNOWN_FUNCTION = "unknown_function"
    BAD_ARGUMENTS = "bad_arguments"
    BAD_JSON = "bad_json"
    OVER_BUDGET = "over_budget"


RAN = frozenset({Outcome.OK, Outcome.EMPTY})


@dataclass(frozen=True, slots=True)
class Observation:
    """What the environment answers to one call; `further_rows` are source rows of other tables than the first."""

    text: str
    rows: tuple[int, ...]
    outcome: Outcome
    further_rows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


class Environment(Protocol):
    """Anything that answers calls: a rendered record, a laboratory menu, a tool server."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Answers one call with ok, empty, unknown_function or bad_arguments; never raises."""
        ...


class RecordEnvironment:
    """One case's texts, rendered before: a call is a dictionary read, and later data is not in it."""

    def __init__(self, case: "Case", menu: Collection[str] | None = None) -> None:
        self._texts = case.texts if menu is None else {name: case.texts[name] for name in menu}
        self._case = case

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """The text of function `name`; `empty` where no source row stands behind it, though its text still says so."""
        text = self._texts.get(name)
        if text is None:
            return Observation("", (), Outcome.UNKNOWN_FUNCTION)
        if arguments:
            return Observation("", (), Outcome.BAD_ARGUMENTS)
        rows, further = self._case.rows.get(name, ()), self._case.further_rows.get(name, {})
        return Observation(text, rows, Outcome.OK if rows or further else Outcome.EMPTY, further)
