"""How the demo's base reads and speaks: how alarming a headline sounds to a naive reader, and the turns it writes.

A turn opens with the choice between asking and answering, so that the sentence after a spent budget decides the next
token, and with the task's name: a very small model that has to look back to its prompt for the task at every call
learns one choice of functions for all tasks.

The level word alone counts, the same for every function and task: this is all the base is taught of medicine. It knows
no direction (HIGH alarms as much as LOW) and no task.
"""

import re
from typing import NamedTuple

from tirec.agent.parse import answer_text, call_text


class Level(NamedTuple):
    """A level word: how alarming it sounds, and where it stands between low (-) and high (+)."""

    severity: float
    direction: float


LEVELS = {
    "VERY HIGH": Level(1.6, 1.6),
    "VERY LOW": Level(1.6, -1.6),
    "HIGH": Level(0.9, 0.9),
    "LOW": Level(0.9, -0.9),
    "NORMAL": Level(-0.3, -0.5),
    "CRITICAL": Level(1.6, 1.6),
    "ABNORMAL": Level(0.9, 0.9),
    "ACUTE": Level(1.2, 1.2),
    "NO ACUTE FINDING": Level(-0.3, -0.6),
    "MANY": Level(0.9, 1.2),
    "SOME": Level(0.3, 0.3),
    "FEW": Level(-0.3, -0.6),
    "NONE": Level(-0.3, -0.6),
    "PENDING": Level(0.0, 0.0),
    "FULL": Level(0.0, 0.3),
    "PARTIAL": Level(0.0, -0.3),
}
"""The words with which a headline opens."""
HIGH_WORDS, LOW_WORDS = ("high", "abnormal", "many", "acute"), ("low", "normal", "few", "none")
"""Words of guidance: `orders many raises risk .` and `oxygen_saturation low raises risk .`"""
WORDS = (
    *("check", "raises", "risk", "lowers", *HIGH_WORDS, *LOW_WORDS),
    *(
        "rising",
        "falling",
        "steady",
        "latest",
        "first",
        "newest",
        "pending",
        "resulted",
        "done",
        "abnormal",
        "critical",
    ),
    *("HR", "BP", "MAP", "SpO", "RR", "temp", "mmHg", "°C", "/min", "%", "min", "ECG", "pleth", "respiration"),
    *("age", "years", "sex", "male", "female", "arrival", "by", "Self", "self", "EMS", "acuity", "pain", "complaint"),
    *("order", "orders", "result", "results", "report", "reports", "reading", "readings", "vital", "signs", "no", "of"),
    *("diagnosis", "diagnoses", "group", "groups", "medication", "medications", "class", "classes", "earlier", "visit"),
    *("visits", "imaging", "lab", "prior", "home", "record", "cutoff", "the", "on", "with", "finding", "studies", "XR"),
    *("CT", "US", "MR", "PAIN", "CHEST", "ABDOMINAL", "SHORTNESS", "BREATH", "FEVER", "WEAKNESS", "FALL", "HEADACHE"),
)
"""Words that skills, views and headlines may hold, known before any observation exists."""

_OPENING = re.compile("|".join(sorted(map(re.escape, LEVELS), key=len, reverse=True)))
_UNREAD = Level(0.0, 0.0)


def level(text: str) -> Level:
    """The level a text opens with; neutral where it opens with none."""
    found = _OPENING.match(text)
    return LEVELS[found[0]] if found else _UNREAD


def call_turn(task: str, risk: str, name: str) -> str:
    """A turn that asks for a function: `need more for revisit , risk 0.18 <tool_call>…`; the risk has two decimals."""
    return f"need more for {task} , risk {risk} {call_text(name)}"


def answer_turn(task: str, risk: str) -> str:
    """The last turn: `enough for revisit <answer>0.31</answer>`."""
    return f"enough for {task} {answer_text(risk)}"
