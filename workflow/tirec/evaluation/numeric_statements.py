"""Statements about numbers in a model's text: a value set against a threshold, a band or a level.

The grammar reads the letters of `tirec.evaluation.numeric_words`. It is narrow on purpose: what it does not read is not
judged. Conditions, questions and criteria ("if the MAP is below 65") are no statements.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tirec.evaluation.numeric_words import AGE, PRESSURE, Word, plain, spelled, words

_LINK = "[=@A:]*"
_FROM = "(?:FNt)?"
"""In "risen from 104 to 121" the second number is the one that counts."""
_ONE = "(?:N/N|N(?![-t]N))"
_VALUE = "(?:N/N|N[-t]N|N)"
_LIMITS = r"(?:\(L?[:=]?(?:N[-t]N|CN)\))?"
_NAMED = rf"(?P<measure>M)(?:V?{_LINK}{_FROM}\(?(?P<value>{_VALUE})\)?|,A?(?P<value2>{_VALUE})(?=,))"
_SUBJECT = rf"(?:{_NAMED}|(?P<value3>{_VALUE})){_LIMITS}"
_BEFORE = "[V=@,(]*"
_THRESHOLD = r"[=@A:G]*(?P<threshold>N)G?"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # HR is above 110 at 121; above 110 (121)
        rf"(?P<measure>M)[V=]*(?P<not>!?)(?P<relation>C){_THRESHOLD}[@(]A?(?P<value>{_VALUE})",
        # HR 121 is above 110; 61 < 65; HR 84 is between 60 and 100
        rf"{_SUBJECT}{_BEFORE}(?P<not>!?){_BEFORE}(?P<relation>C){_THRESHOLD}",
        rf"{_SUBJECT}{_BEFORE}(?P<not>!?)(?P<relation>[IO]){_LINK}(?P<threshold>N[-tJ]N)",
        # lactate is elevated at 4.1; HR normal (72)
        rf"(?P<measure>M)[V=,]*(?P<not>!?)(?P<level>L)[@(:=]*A?(?P<value>{_ONE})",
        # HR 121 is high; HR 121 (high); HR 121 is above the normal range of 60-100
        rf"{_SUBJECT}(?P<gap>[V=@,(]*)(?P<not>!?)[V=]?(?P<level>L)(?:[=(](?P<limits>N[-t]N|N))?",
        # elevated lactate of 4.1; normal: HR 72
        rf"(?<![MN])(?P<not>!?)(?P<level>L):?(?P<measure>M)[=@(]*A?(?P<value>{_ONE})",
        # tachycardic at 121; hyponatremia (128); tachycardia (HR 121)
        rf"(?P<not>!?)(?P<implied>L)[@=(]+(?P<measure>M)?[=@]*A?(?P<value>{_ONE})",
        # MAP is below 65
        r"(?P<measure>M)=*V(?P<not>!?)(?P<relation>C)[=G]*(?P<threshold>N)G?(?![@(]?N|/)",
    )
)
LONGEST_SENTENCE = 2_000
"""Characters of a sentence that are read: no statement is longer, and the grammar's cost stays bounded."""
_SENTENCE = re.compile(r"(?<!\bi\.e)(?<!\be\.g)(?<!\bvs)[.!?;\n]+(?=\s|$)|[;\n]")
_BLOCKS = re.compile(r"<(tool_call|answer|tool_response)>.*?(?:</\1>|$)", re.DOTALL)


@dataclass(frozen=True)
class Claim:
    """What is said of a value: a `relation` to `thresholds` (one, or the two ends of a band), or a `level`."""

    relation: str = ""
    thresholds: tuple[float, ...] = ()
    level: str = ""


@dataclass(frozen=True)
class Statement:
    """A claim about an observation.

    `values`: what is claimed to be observed (one number, the two of a pressure, the two ends of a range); empty where
    only a measure is named ("MAP is below 65"). `subject`: an unknown word that the number is said of.
    """

    text: str
    number: str
    measure: str | None
    values: tuple[Word, ...]
    pair: bool
    about: bool
    negated: bool
    subject: str
    claim: Claim


def own_text(text: str) -> str:
    """The model's free words of a turn: without its calls, its answer and observations that it made up."""
    return _BLOCKS.sub(" ", text)


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text, in order."""
    for sentence in _sentences(plain(text)):
        if any(mark.isdigit() for mark in sentence):
            yield from _statements(sentence, words(sentence[:LONGEST_SENTENCE]))


def _sentences(text: str) -> Iterator[str]:
    """Sentences that state something; questions are left out."""
    start = 0
    for end in _SENTENCE.finditer(text):
        if "?" not in end[0]:
            yield text[start : end.start()].strip()
        start = end.end()
    yield text[start:].strip()


def _statements(sentence: str, found: list[Word]) -> Iterator[Statement]:
    letters, at = spelled(found), 0
    while at < len(letters):
        match = next((hit for pattern in _PATTERNS if (hit := pattern.match(letters, at))), None)
        statement = _statement(sentence, found, match) if match and _is_claim(letters, match) else None
        if statement:
            yield statement
        at = match.end() if match and statement else at + 1


def _is_claim(letters: str, match: re.Match[str]) -> bool:
    """Whether the match stands in no condition and its level says something about its number and nothing else."""
    segment = re.split(r"[,:]", letters[: match.start()])[-1]
    if "H" in segment or "!" in segment or "H" in match[0]:
        return False
    groups = match.groupdict()
    gap = groups.get("gap")
    if gap is None:
        return True
    if not groups["measure"] and not gap:
        return False
    return groups["limits"] is not None or _ends_there(gap, letters[match.end() : match.end() + 1])


def _ends_there(gap: str, following: str) -> bool:
    """Whether a level is said of the number before it, not of what follows: "121, low MAP", "121 (normal 60-100)"."""
    if following in tuple("MLNC:="):
        return False
    return not (following == "x" and ("," in gap or "@" in gap))


def _statement(sentence: str, found: list[Word], match: re.Match[str]) -> Statement | None:
    measure, relation = _word(found, match, "measure"), _word(found, match, "relation")
    level, implied = _word(found, match, "level"), _word(found, match, "implied")
    start, values = _span(found, match, ("value", "value2", "value3"))
    if not _fits(measure, level or implied) or (not measure and _belongs_elsewhere(found, start)):
        return None
    if implied and not implied.measure:
        return None
    level = level or implied
    named = (measure and measure.meaning) or (level and level.measure) or None
    if any(word.unit == "years" for word in values):
        named = named or AGE
    pair = "/" in spelled(found[start : start + 3]) and len(values) == 2
    if pair and not _is_pressure(values, named):
        return None
    claim = _claim(relation, level, _span(found, match, ("threshold", "limits"))[1])
    if claim is None:
        return None
    return Statement(
        text=sentence[:LONGEST_SENTENCE],
        number=_as_written(values, pair) if values else found[match.start("threshold")].text,
        measure=PRESSURE if pair else named,
        values=values,
        pair=pair,
        about="A" in match[0],
        negated=bool(match["not"]),
        subject="" if named else _subject(found, start),
        claim=claim,
    )


def _claim(relation: Word | None, level: Word | None, limits: tuple[Word, ...]) -> Claim | None:
    """What is said of the values; a level whose limits are named ("normal range of 60-100") is judged by these."""
    numbers = tuple(word.value for word in limits)
    if relation:
        return Claim({"I": "in", "O": "out"}.get(relation.kind, relation.meaning), numbers)
    if level is None:
        return None
    if not numbers:
        return Claim(level=level.meaning)
    named = any(word in level.text.lower() for word in ("range", "limit"))
    by_limits = {"NORMAL": "in", "HIGH": ">", "LOW": "<", "ABNORMAL": "out"}[level.meaning]
    if not named or (len(numbers) == 1 and by_limits in ("in", "out")):
        return None
    return Claim(by_limits, numbers[-1:] if by_limits == ">" else numbers)


def _fits(measure: Word | None, level: Word | None) -> bool:
    """Whether a level that implies a measure may be said of this one: hypotension also of a mean pressure."""
    if measure is None or level is None or level.measure is None or measure.meaning == level.measure:
        return True
    return level.measure == PRESSURE and measure.meaning in ("sbp", "map")


def _belongs_elsewhere(found: list[Word], start: int) -> bool:
    """Whether a bare number is the threshold of a comparison, the end of a range, or the value of a measure."""
    before = spelled(found[:start]).rstrip("=@VA:(")
    return before.endswith(("C", "I", "O", "M", "G")) or bool(re.search(r"N[-tJ/]$", before))


def _as_written(values: tuple[Word, ...], pair: bool) -> str:
    return "/".join(word.text for word in values) if pair else values[0].text


def _word(found: list[Word], match: re.Match[str], group: str) -> Word | None:
    if match.groupdict().get(group) is None:
        return None
    return found[match.start(group)]


def _span(found: list[Word], match: re.Match[str], groups: tuple[str, ...]) -> tuple[int, tuple[Word, ...]]:
    """Where the first matched group starts, and its numbers."""
    for group in groups:
        if match.groupdict().get(group):
            start, end = match.span(group)
            return start, tuple(word for word in found[start:end] if word.kind == "N")
    return 0, ()


def _is_pressure(values: tuple[Word, ...], named: str | None) -> bool:
    high, low = (word.value for word in values)
    return named in (None, PRESSURE) and 40 <= high <= 300 and 20 <= low < high


def _subject(found: list[Word], start: int) -> str:
    """The unknown word that a number is said of ("GCS" in "GCS 15"), or ''."""
    at = start - 1
    while at >= 0 and found[at].kind in tuple("=@VA("):
        at -= 1
    return found[at].text.lower() if at >= 0 and found[at].kind == "x" else ""
