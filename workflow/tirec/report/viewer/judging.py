"""What a reader filters episodes by: whether the answer was right at a stated threshold, and faults of form."""

from collections.abc import Mapping
from enum import StrEnum

import polars as pl

from tirec.agent.environment import RAN, Outcome
from tirec.agent.episode import EpisodeRecord, Finish
from tirec.evaluation.thresholds import FALLBACK

Place = tuple[str, str]
"""task, setting"""


class Verdict(StrEnum):
    """An answer held against what happened; an episode without an answer is a kind of its own."""

    TRUE_POSITIVE = "tp"
    FALSE_POSITIVE = "fp"
    TRUE_NEGATIVE = "tn"
    FALSE_NEGATIVE = "fn"
    UNANSWERED = "unanswered"


_VERDICTS = {
    (True, True): Verdict.TRUE_POSITIVE,
    (True, False): Verdict.FALSE_POSITIVE,
    (False, False): Verdict.TRUE_NEGATIVE,
    (False, True): Verdict.FALSE_NEGATIVE,
}


def verdict(p: float | None, label: int, threshold: float) -> Verdict:
    """The kind of an answer; p at the threshold is flagged, as in the metrics."""
    return Verdict.UNANSWERED if p is None else _VERDICTS[p >= threshold, bool(label)]


def verdicts(p: float | None, label: int, own: float) -> dict[str, str]:
    """The verdict under each threshold that the page offers: the model's own, and one half."""
    return {"own": verdict(p, label, own), "half": verdict(p, label, FALLBACK)}


def faults(episode: EpisodeRecord) -> tuple[str, ...]:
    """What broke the protocol, each kind once: faults of turns, calls that did not run (but repeats), a bad answer."""
    found = [str(fault) for turn in episode.turns for fault in turn.faults]
    found += [str(call.outcome) for call in episode.calls if call.outcome not in RAN | {Outcome.REPEATED}]
    found += [str(episode.finish)] * (episode.finish is Finish.BAD_ANSWER)
    return tuple(dict.fromkeys(found))


def threshold_of(thresholds: pl.DataFrame | None) -> Mapping[Place, tuple[float, str]]:
    """(task, setting) -> threshold and where it came from, out of a model's metrics table; empty without one."""
    if thresholds is None:
        return {}
    rows = thresholds.select("task", "setting", "threshold", "threshold_source").iter_rows()
    return {(task, setting): (value, source) for task, setting, value, source in rows}


def threshold_at(thresholds: Mapping[Place, tuple[float, str]], place: Place) -> tuple[float, str]:
    """The threshold of one task and setting; 0.5 where the model has none, and the source says so."""
    return thresholds.get(place, (FALLBACK, "0.5: the model has no threshold"))
