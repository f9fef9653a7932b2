"""One saved episode in the form that the page steps through."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from tirec.agent.episode import Call, Turn
from tirec.agent.parse import ANSWER_OPEN, CALL_OPEN
from tirec.agent.trajectories import Trajectory
from tirec.evaluation.numeric_check import Finding, check
from tirec.report.viewer.judging import faults

_MAX_ROW_RANGES = 12


class Texts:
    """Every distinct text once, so that models that read the same observation share it."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def ref(self, text: str) -> int:
        """The place of a text in `listed`."""
        return self._places.setdefault(text, len(self._places))

    @property
    def listed(self) -> list[str]:
        """The texts, each at its place."""
        return list(self._places)


def episode_json(trajectory: Trajectory, texts: Texts) -> dict[str, Any]:
    """The episode turn by turn, with its answer, faults, token counts and reward."""
    episode = trajectory.episode
    calls = {call.turn: call for call in episode.calls}
    return {
        "prompt": [[str(message["role"]), texts.ref(str(message["content"]))] for message in trajectory.prompt],
        "turns": [_turn(turn, calls.get(place), texts) for place, turn in enumerate(episode.turns)],
        "finish": str(episode.finish),
        "p": episode.p,
        "p_lenient": episode.p_lenient,
        "faults": list(faults(episode)),
        "numbers": [_number(finding, texts) for finding in check(trajectory)],
        "tokens": trajectory.tokens and asdict(trajectory.tokens),
        "reward": trajectory.reward and asdict(trajectory.reward),
    }


def _turn(turn: Turn, call: Call | None, texts: Texts) -> dict[str, Any]:
    said, block = split(turn.text)
    return {
        "said": texts.ref(said),
        "block": texts.ref(block),
        "discarded": texts.ref(turn.discarded),
        "faults": [str(fault) for fault in turn.faults],
        "forced": turn.forced,
        "call": call and {"function": call.function, "outcome": str(call.outcome), "rows": _cited(call)},
        "reply": turn.reply and texts.ref(turn.reply.text),
        "answer_turn": bool(turn.reply and turn.reply.answer_turn),
    }


def _cited(call: Call) -> str:
    """The source rows of a call: those of its function's table, then those of other tables by name."""
    further = (f"{table} {row_ranges(rows)}" for table, rows in call.further_rows.items())
    return "; ".join(filter(None, (row_ranges(call.rows), *further)))


def _number(finding: Finding, texts: Texts) -> dict[str, Any]:
    """A statement of the model about a number, and whether what it had read says the same."""
    sentence = texts.ref(finding.sentence.strip())
    return {"turn": finding.turn, "sentence": sentence, "number": finding.number, "verdict": str(finding.verdict)}


def split(text: str) -> tuple[str, str]:
    """A turn's own words, and its call or answer with the tags around it ('' where no tag opened)."""
    found = [at for tag in (CALL_OPEN, ANSWER_OPEN) if (at := text.find(tag)) >= 0]
    start = min(found, default=len(text))
    return text[:start].strip(), text[start:].strip()


def row_ranges(rows: Sequence[int]) -> str:
    """Source rows for a reader: '3-5, 9', and how many more where the list is long; '' without rows."""
    ordered = sorted(set(rows))
    if not ordered:
        return ""
    breaks = [place for place, (one, other) in enumerate(pairwise(ordered), start=1) if other != one + 1]
    runs = [ordered[start:end] for start, end in pairwise([0, *breaks, len(ordered)])]
    spelled = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs[:_MAX_ROW_RANGES]]
    left = sum(map(len, runs[_MAX_ROW_RANGES:]))
    return ", ".join(spelled) + (f" and {left} more" if left else "")
