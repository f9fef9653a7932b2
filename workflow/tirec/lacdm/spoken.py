"""What the two agents write, read strictly: a hypothesis with its confidence, and a decision with its action.

Only model-written text comes here. Names are compared without case and outer blanks; nothing else is repaired.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from tirec.config.lacdm import CONDITIONS

UNKNOWN = "unknown"
"""A hypothesis that names none of the conditions."""
LEVELS = tuple(map(str, range(11)))
"""Confidences that may be stated."""
OBSERVATION = "Observation:"
"""The word at which a decision turn stops."""
HYPOTHESIS_OPEN, CONFIDENCE_OPEN = "Hypothesis: ", "\nConfidence: "

_HYPOTHESIS = re.compile(r"Hypothesis:[ \t]*([^\n]*)")
_CONFIDENCE = re.compile(r"Confidence:[ \t]*([^\n]*)")
_DECISION = re.compile(
    r"\s*(?:Thought:(?P<thought>.*?)\s*\n)?\s*Action:[ \t]*(?P<action>[^\n]*?)[ \t]*\n\s*"
    r"Action Input:[ \t]*(?P<input>[^\n]*?)[ \t]*(?:\n\s*)?(?P<stopped>Observation:)?\s*",
    re.DOTALL,
)


@dataclass(frozen=True)
class Hypothesis:
    """What the hypothesis agent said; `unknown` where it named no condition, None where it stated no confidence."""

    condition: str
    confidence: int | None

    @property
    def text(self) -> str:
        """As it is shown to the decision agent, spelled by this program."""
        stated = UNKNOWN if self.confidence is None else f"{self.confidence}"
        return f"{HYPOTHESIS_OPEN}{self.condition} (confidence {stated})"


class Action(StrEnum):
    """What a decision turn asks for."""

    TEST = "test"
    DIAGNOSIS = "diagnosis"
    OTHER = "other"
    MALFORMED = "malformed"


@dataclass(frozen=True)
class Decision:
    """A decision turn: its action and the action's input, lower case."""

    action: Action
    name: str


MALFORMED = Decision(Action.MALFORMED, "")


def read_hypothesis(text: str) -> Hypothesis:
    """The first hypothesis and the first confidence of a text; `7/10`, `high` and `11` are no confidence."""
    named, stated = _HYPOTHESIS.search(text), _CONFIDENCE.search(text)
    condition = named[1].strip().lower() if named else ""
    level = stated[1].strip() if stated else ""
    return Hypothesis(condition if condition in CONDITIONS else UNKNOWN, int(level) if level in LEVELS else None)


def read_confidence(text: str) -> int | None:
    """A confidence that was asked for alone: the whole text is one of 0, 1, …, 10, or it is None."""
    return int(text.strip()) if text.strip() in LEVELS else None


def read_decision(text: str) -> Decision:
    """The one action of a turn; text after it, a second action or a missing line make it malformed."""
    if text.count("Action:") != 1 or text.count("Action Input:") != 1:
        return MALFORMED
    found = _DECISION.fullmatch(text)
    if found is None or not found["input"]:
        return MALFORMED
    kinds = {"test": Action.TEST, "diagnosis": Action.DIAGNOSIS}
    return Decision(kinds.get(found["action"].lower(), Action.OTHER), found["input"].lower())


def hypothesis_text(condition: str, confidence: str) -> str:
    """A hypothesis agent's answer as it should be written."""
    return f"{HYPOTHESIS_OPEN}{condition}{CONFIDENCE_OPEN}{confidence}"


def decision_text(thought: str, action: Action, name: str) -> str:
    """A decision turn as it should be written; an order ends with the word that makes room for its result."""
    turn = f"Thought: {thought}\nAction: {action.value.capitalize()}\nAction Input: {name}"
    return f"{turn}\n{OBSERVATION}" if action is Action.TEST else turn
