"""What a model has read: the values in the texts of the clinical functions, by measure and with the record's levels."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tirec.evaluation.numeric_words import AGE, PRESSURE
from tirec.evidence.vocabulary.labs import component
from tirec.evidence.vocabulary.vitals import (
    DIASTOLIC,
    HEART_RATE,
    MEAN_PRESSURE,
    OXYGEN_SATURATION,
    RESPIRATORY_RATE,
    SYSTOLIC,
    TEMPERATURE,
    VITALS,
    Vital,
)

FREE_TEXT = frozenset({"radiology_reports", "imaging", "lab_values", "labs"})
"""Functions whose texts hold words of the record in which a number may stand that is not read here."""

_OF_FUNCTION = {
    "heart_rate": HEART_RATE,
    "oxygen_saturation": OXYGEN_SATURATION,
    "respiratory_rate": RESPIRATORY_RATE,
    "temperature": TEMPERATURE,
}
_BY_KEY = {vital.key: vital for vital in VITALS}
_BY_WORDS = {vital.label.lower(): vital for vital in VITALS} | {
    "hr": HEART_RATE,
    "rr": RESPIRATORY_RATE,
    "temp": TEMPERATURE,
}
_N = r"(\d+(?:\.\d+)?)"
_LEVEL = r"(?:VERY )?(?:LOW|HIGH)|NORMAL"
_HEADLINE = re.compile(rf"({_LEVEL})(?:, \w+)?: {_N} (?:/min|%|°C)")
_COURSE = re.compile(rf"^([\w ]+): \d+ readings, first {_N}, range {_N}-{_N}, mean {_N} ")
_AT_TRIAGE = re.compile(rf"[Aa]t triage {_N} (?:/min|%|°C)(?: \(({_LEVEL})\))?")
_BAND = re.compile(rf"of readings outside {_N}-{_N} ")
_LEAST = re.compile(rf"of readings below {_N} ")
_WORDS = "|".join(sorted(_BY_WORDS, key=len, reverse=True))
_NAMED = re.compile(rf"\b({_WORDS}) {_N} (?:/min|%|°C)(?: \(?({_LEVEL})\b)?", re.IGNORECASE)
_SINGLES = re.compile(
    rf"^({_WORDS}), \S+ \(min before the cutoff\), ({_LEVEL}): ((?:{_N} \(\d+\)(?:, )?)+)", re.IGNORECASE
)
_SINGLE = re.compile(r"(\d+(?:\.\d+)?) \(\d+\)")
_PAIR = re.compile(rf"(?:({_LEVEL})(?:, \w+)?: )?\b(\d+)/(\d+) mmHg(?: \(?({_LEVEL})\)?)?")
_MEAN = re.compile(rf"\bMAP {_N}")
_AGE = re.compile(r"\b[Aa]ge (\d+)|: (\d+) years, sex")
_RESULT = re.compile(
    r"(?P<name>[^\d\W][^:;]*?) (?P<critical>CRITICAL )?(?:(?P<level>LOW|HIGH|NORMAL|ABNORMAL) )?"
    r"(?P<sign>[<>]=?)?(?P<value>\d+(?:\.\d+)?|\.\d+)(?: [^\s(),;]+)?(?: \([^()]*\))?(?=[,.;]? *$|[,;] |\. )"
)
_COUNTS = re.compile(
    r"^[\w, ]+: \d+ resulted, \d+ abnormal[:.] ?|^[A-Z]+: \d+ of \d+ abnormal[^;]*;? ?|^[A-Z]+: \d+ results?, .*"
)
"""How the lines of laboratory texts begin: counts, which are no results."""
_ANY_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")


@dataclass(frozen=True, slots=True)
class Reading:
    """One value as it was shown: `values` holds one number, or the two of a pressure; `level` is said beside it."""

    measure: str | None
    values: tuple[float, ...]
    level: str | None = None
    name: str = ""


class Read:
    """Everything that was read so far; grows with each text."""

    def __init__(self) -> None:
        self.readings: list[Reading] = []
        self.numbers: set[float] = set()
        self.loose: set[float] = set()
        self._bands: dict[str, tuple[float, float]] = {}

    def observation(self, function: str, text: str) -> None:
        """Adds what a function answered; the initial view has no function ('')."""
        for line in text.split("\n"):
            found = list(_readings(function, line))
            numbers = {float(number) for number in _ANY_NUMBER.findall(line)}
            self.numbers |= numbers
            self.readings += found
            told = found and all(reading.values for reading in found)
            self.loose |= numbers if function in FREE_TEXT and not told else set()
        self._bands.update(_bands(function, text))

    def of(self, measure: str) -> list[Reading]:
        """The readings of a measure."""
        return [reading for reading in self.readings if reading.measure == measure]

    def levels(self, reading: Reading) -> set[str]:
        """The record's levels of a reading: said beside it or beside its equal, else by the limits that were said.

        A pressure's parts may have several. Empty where the record does not tell.
        """
        if reading.level:
            return {reading.level}
        said = {other.level for other in self.readings if _same(other, reading) and other.level}
        if said or reading.measure is None:
            return {level for level in said if level}
        if reading.measure == PRESSURE:
            return self._pair_levels(*reading.values)
        return self._by_limits(reading.measure, reading.values[0])

    def _by_limits(self, measure: str, value: float) -> set[str]:
        """By the normal band that the texts state, else by this program's own where it agrees with all labels read."""
        if band := self._bands.get(measure):
            return {"LOW" if value < band[0] else "HIGH" if value > band[1] else "NORMAL"}
        vital = _BY_KEY.get(measure)
        if vital is None or not all(self._agrees(vital, other) for other in self.of(measure)):
            return set()
        return {_short(vital.level(value))}

    def _agrees(self, vital: Vital, reading: Reading) -> bool:
        return not (reading.level and reading.values) or _short(vital.level(reading.values[0])) == reading.level

    def _pair_levels(self, high: float, low: float) -> set[str]:
        parts = (("sbp", high), ("map", (high + 2 * low) / 3), ("dbp", low))
        return set().union(*(self._by_limits(*part) for part in parts))


def _same(one: Reading, other: Reading) -> bool:
    return (one.measure, one.name, one.values) == (other.measure, other.name, other.values)


def _readings(function: str, line: str) -> Iterator[Reading]:
    """The readings of a line, each as often as it is shown."""
    if function in ("labs", "lab_values"):
        yield from _results(line)
        return
    yield from _vital_lines(line, _OF_FUNCTION.get(function))
    yield from _pressures(line)
    yield from (Reading(AGE, (float(match[1] or match[2]),)) for match in _AGE.finditer(line))


def _vital_lines(line: str, vital: Vital | None) -> Iterator[Reading]:
    if vital:
        yield from (_reading(vital, match[2], match[1]) for match in _HEADLINE.finditer(line))
        yield from (_reading(vital, match[1], match[2]) for match in _AT_TRIAGE.finditer(line))
    else:
        yield from (_reading(_BY_WORDS[match[1].lower()], match[2], match[3]) for match in _NAMED.finditer(line))
    if (course := _COURSE.match(line)) and (told := _BY_WORDS.get(course[1].lower())):
        yield from (_reading(told, shown) for shown in course.groups()[1:])
    if singles := _SINGLES.match(line):
        told = _BY_WORDS[singles[1].lower()]
        latest, *older = _SINGLE.findall(singles[3])
        yield _reading(told, latest, singles[2])
        yield from (_reading(told, shown) for shown in older)


def _pressures(line: str) -> Iterator[Reading]:
    """Pairs with the level said beside them, their parts, and mean pressures."""
    for match in _PAIR.finditer(line):
        level = match[1] or match[4]
        yield Reading(PRESSURE, (float(match[2]), float(match[3])), level and _short(level))
        yield from (_reading(vital, shown) for vital, shown in ((SYSTOLIC, match[2]), (DIASTOLIC, match[3])))
    yield from (_reading(MEAN_PRESSURE, match[1]) for match in _MEAN.finditer(line))


def _reading(vital: Vital, shown: str, level: str | None = None) -> Reading:
    return Reading(vital.key, (float(shown),), level and _short(level))


def _bands(function: str, text: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """The normal bands that a vital sign's text states."""
    vital = MEAN_PRESSURE if function == "blood_pressure" else _OF_FUNCTION.get(function)
    if vital and (band := _BAND.search(text)):
        yield vital.key, (float(band[1]), float(band[2]))
    if vital and (least := _LEAST.search(text)):
        yield vital.key, (float(least[1]), float("inf"))


def _short(level: str) -> str:
    return level.removeprefix("VERY ")


def _results(line: str) -> Iterator[Reading]:
    """The laboratory results of one line: of a panel, a headline, or one result with its limits and time."""
    listed = _COUNTS.sub("", line)
    for match in _RESULT.finditer(listed):
        name = match["name"].rpartition(", ")[2] if match["level"] is None else match["name"]
        yield _result(name.strip(), match)


def _result(name: str, match: re.Match[str]) -> Reading:
    entry = component(name)
    level = match["level"] or ("ABNORMAL" if match["critical"] else None)
    # "<6" is no value: nothing may be said about how it compares.
    values = () if match["sign"] else (float(match["value"]),)
    return Reading(entry.key if entry else None, values, level, name.lower())
