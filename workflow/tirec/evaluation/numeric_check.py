"""Whether the numbers in a model's own text agree with what it had read.

Each statement that sets a number against a threshold or a level ("88 is below 65", "HR 120 is normal") is compared with
the observations read before its turn and with the threshold it names, or the record's own level: LOW, NORMAL, HIGH.

- `correct`: the value was read, and it stands where the statement puts it;
- `wrong_value`: no such value of that measure in what was read;
- `wrong_direction`: the value was read and stands elsewhere;
- `unverifiable`: what was read does not tell (no level beside the value, another unit, an unknown subject).

Vital signs, laboratory results and the age are judged; times, doses, counts and probabilities are not. Where readings
of equal value disagree, nothing is claimed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from tirec.agent.trajectories import Trajectory
from tirec.evaluation.numeric_readings import Read, Reading
from tirec.evaluation.numeric_statements import Claim, Statement, own_text, statements
from tirec.evaluation.numeric_words import AGE, Word

ABOUT = 0.05
"""Share by which a value said with "about" may differ."""


class Verdict(StrEnum):
    """What became of a statement."""

    CORRECT = "correct"
    WRONG_VALUE = "wrong_value"
    WRONG_DIRECTION = "wrong_direction"
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True)
class Finding:
    """One judged statement: its turn (from 0), its sentence, the number as written, and the verdict."""

    turn: int
    sentence: str
    number: str
    measure: str | None
    verdict: Verdict


def check(trajectory: Trajectory) -> list[Finding]:
    """The judged statements of an episode, in order."""
    read = Read()
    read.observation("", _view(trajectory))
    asked = {call.turn: call.function for call in trajectory.episode.calls}
    found: list[Finding] = []
    for number, turn in enumerate(trajectory.episode.turns):
        if not turn.forced:
            found += _findings(number, own_text(turn.text), read)
        if turn.reply:
            read.observation(asked.get(number) or "", turn.reply.text)
    return found


def _view(trajectory: Trajectory) -> str:
    """The user message without the skill sentences: their numbers are no observations."""
    text = next((message["content"] for message in trajectory.prompt if message["role"] == "user"), "")
    for sentence in trajectory.kept:
        text = text.replace(sentence, "")
    return text


def _findings(turn: int, text: str, read: Read) -> Iterator[Finding]:
    for statement in statements(text):
        yield Finding(turn, statement.text, statement.number, statement.measure, judge(statement, read))


def judge(statement: Statement, read: Read) -> Verdict:
    """The verdict on one statement, given what was read before it."""
    if not statement.values:
        return _of_all_readings(statement, read)
    matching = [_matching(statement, read, values) for values in _parts(statement)]
    if not all(matching):
        return _absent(statement, read)
    return _agreed(_holds(statement, reading, read) for readings in matching for reading in readings)


def _parts(statement: Statement) -> list[tuple[Word, ...]]:
    """The values that must each have been read: a pressure is one, a range are two."""
    return [statement.values] if statement.pair else [(value,) for value in statement.values]


def _matching(statement: Statement, read: Read, values: tuple[Word, ...]) -> list[Reading]:
    """The readings that a value may stand for."""
    return [reading for reading in _candidates(statement, read) if _equal(values, reading, statement.about)]


def _candidates(statement: Statement, read: Read) -> list[Reading]:
    if statement.measure:
        return read.of(statement.measure)
    if statement.subject:
        return [reading for reading in read.readings if statement.subject in reading.name.split()]
    return read.readings


def _equal(values: tuple[Word, ...], reading: Reading, about: bool) -> bool:
    """Whether the values, as precisely as they are written, are those of a reading."""
    if len(values) != len(reading.values):
        return False
    return all(_near(said, shown, about) for said, shown in zip(values, reading.values, strict=True))


def _near(said: Word, shown: float, about: bool) -> bool:
    rounding = 0.5 * 10**-said.decimals if said.decimals < _decimals(shown) else 0.0
    return abs(said.value - shown) <= max(rounding, ABOUT * shown if about else 0.0) + 1e-9


def _decimals(value: float) -> int:
    return len(f"{value:.6f}".rstrip("0").partition(".")[2])


def _absent(statement: Statement, read: Read) -> Verdict:
    """No reading has the value: wrong, unless it may stand where this program cannot tell."""
    said = {word.value for word in statement.values}
    if not statement.measure and not statement.subject and statement.claim.relation and said <= read.numbers:
        # A bare number that stands somewhere in what was read: the comparison is true or false whatever it measures.
        return _agreed(_holds(statement, Reading(None, (value,)), read) for value in said)
    known = bool(statement.measure and read.of(statement.measure))
    unclear = statement.about or bool(statement.subject) or statement.measure == AGE or _may_be_a_share(statement)
    if unclear or said & (read.loose if known else read.numbers) or _worked_out(statement, read):
        return Verdict.UNVERIFIABLE
    return Verdict.WRONG_VALUE


def _may_be_a_share(statement: Statement) -> bool:
    """Whether bare numbers may be probabilities."""
    return not statement.measure and all(word.unit == "%" or word.value <= 1 for word in statement.values)


def _worked_out(statement: Statement, read: Read) -> bool:
    """Whether a value follows from what was read: more decimals, another unit, a mean pressure of a cuff's."""
    others = [other for word in statement.values for other in _other_forms(word)]
    candidates = _candidates(statement, read)
    if any(_equal((other,), reading, False) for other in others for reading in candidates):
        return True
    if _is_difference(statement, candidates):
        return True
    return statement.measure == "map" and _derived(statement, read)


def _is_difference(statement: Statement, candidates: list[Reading]) -> bool:
    """Whether a value is how far a reading lies from the threshold: "4 below 65" where 61 was read."""
    shown = {value for reading in candidates for value in reading.values}
    apart = {abs(value - limit) for value in shown for limit in statement.claim.thresholds}
    return any(abs(word.value - gap) < 1e-9 for word in statement.values for gap in apart)


def _other_forms(word: Word) -> list[Word]:
    """The same number with one decimal less, and in thousands or thousandths of the unit."""
    fewer = max(0, word.decimals - 1)
    forms = [(round(word.value, fewer), fewer), (word.value / 1000, 6), (word.value * 1000, 6)]
    return [Word("N", word.text, value=value, decimals=decimals) for value, decimals in forms]


def _derived(statement: Statement, read: Read) -> bool:
    """Whether a mean pressure follows from a cuff reading."""
    means = [(high + 2 * low) / 3 for high, low in (reading.values for reading in read.of("bp"))]
    return any(abs(word.value - mean) <= 1 for word in statement.values for mean in means)


def _of_all_readings(statement: Statement, read: Read) -> Verdict:
    """A claim about a measure without a value: judged where all its readings agree."""
    readings = [reading for reading in read.of(statement.measure or "") if reading.values]
    return _agreed(_holds(statement, reading, read) for reading in readings)


def _agreed(held: Iterable[bool | None]) -> Verdict:
    """The verdict where every reading says the same."""
    every = set(held)
    if every == {True}:
        return Verdict.CORRECT
    return Verdict.WRONG_DIRECTION if every == {False} else Verdict.UNVERIFIABLE


def _holds(statement: Statement, reading: Reading, read: Read) -> bool | None:
    """Whether the claim is true of a reading; None where that cannot be told."""
    claim = statement.claim
    true = _compares(statement, reading) if claim.relation else _stands(claim.level, read.levels(reading))
    return None if true is None else true != statement.negated


def _compares(statement: Statement, reading: Reading) -> bool | None:
    """Whether a reading stands to the thresholds as claimed, both as read and as written."""
    if len(reading.values) != 1:
        return None
    written = [word.value for word in statement.values] or list(reading.values)
    # A range as a value was read when both of its ends were: each end is judged.
    judged = {_relates(statement.claim, value) for value in [*written, *reading.values]}
    return judged.pop() if len(judged) == 1 else None


def _relates(claim: Claim, value: float) -> bool:
    low, high = claim.thresholds[0], claim.thresholds[-1]
    return {
        "<": value < low,
        "<=": value <= low,
        ">": value > low,
        ">=": value >= low,
        "in": low <= value <= high,
        "out": not low <= value <= high,
    }[claim.relation]


def _stands(claimed: str, levels: set[str]) -> bool | None:
    """Whether a level is as claimed; None where a pressure's parts differ."""
    judged = {_is_level(claimed, level) for level in levels}
    return judged.pop() if len(judged) == 1 else None


def _is_level(claimed: str, level: str) -> bool | None:
    if claimed == "ABNORMAL":
        return level != "NORMAL"
    if level == "ABNORMAL":
        return False if claimed == "NORMAL" else None
    return claimed == level


def counts(trajectories: Iterable[Trajectory]) -> pl.DataFrame:
    """One row per episode: model, split, instance_id, task, setting, statements, and how many had each verdict."""
    return pl.DataFrame([_counted(trajectory) for trajectory in trajectories], schema=SCHEMA, orient="row")


SCHEMA = {
    **dict.fromkeys(("model", "split"), pl.String),
    "instance_id": pl.Int64,
    **dict.fromkeys(("task", "setting"), pl.String),
    **dict.fromkeys(("statements", *Verdict), pl.Int64),
}


def _counted(trajectory: Trajectory) -> tuple[object, ...]:
    found = Counter(finding.verdict for finding in check(trajectory))
    head = (trajectory.model, trajectory.split, trajectory.instance_id, trajectory.task, trajectory.setting)
    return (*head, found.total(), *(found[verdict] for verdict in Verdict))


def shares(table: pl.DataFrame) -> pl.DataFrame:
    """One row per model from `counts`: episodes, statements, and the share of them with each verdict (null if none)."""
    total = pl.col("statements").sum()
    parts = {f"share_{verdict}": pl.when(total > 0).then(pl.col(verdict).sum() / total) for verdict in Verdict}
    return table.group_by("model", maintain_order=True).agg(episodes=pl.len(), statements=total, **parts)
