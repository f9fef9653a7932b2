"""`ingest.tsv` read back into what a page shows: files, and of each table its checks, vocabularies and ranges."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

from tirec.records.schema import SPECS
from tirec.records.small_counts import Counts

FILE = "file "
_RANGE_PARTS = 5


class Lost(NamedTuple):
    """Rows of a file that were not kept."""

    kind: str
    reason: str
    rows: str


class Share(NamedTuple):
    """How many rows meet a condition."""

    name: str
    met: str
    rows: str
    share: str


class Word(NamedTuple):
    """One value of a vocabulary."""

    word: str
    rows: str
    new: bool


class Spread(NamedTuple):
    """Minimum, 1 %, median, 99 %, maximum; one text where there are none."""

    name: str
    points: tuple[str, ...]
    rows: str = ""
    impossible: str = ""


@dataclass
class FileAudit:
    """What became of the rows of one file."""

    name: str
    read: int = 0
    kept: int = 0
    lost: list[Lost] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


@dataclass
class TableAudit:
    """Everything that was counted in one table."""

    name: str
    origin: str = ""
    absent: list[str] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)
    checks: list[Share] = field(default_factory=list)
    vocabularies: dict[str, list[Word]] = field(default_factory=dict)
    never_seen: dict[str, list[str]] = field(default_factory=dict)
    measures: list[Spread] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    ranges: list[Spread] = field(default_factory=list)


@dataclass
class RecordsAudit:
    """The whole of `ingest.tsv`."""

    facts: dict[str, str]
    files: list[FileAudit]
    tables: list[TableAudit]

    @property
    def data_class(self) -> str:
        """Class of the records; credentialed where nothing is said."""
        return self.facts.get("data class", "credentialed")


def read_records(rows: pl.DataFrame) -> RecordsAudit:
    """From the columns table, check, value."""
    facts = dict(rows.filter(pl.col("table") == "folder").select("check", "value").iter_rows())
    counts = Counts.of(facts.get("data class", "credentialed"))
    grouped = {
        name: part.select("check", "value").rows() for (name,), part in rows.group_by("table", maintain_order=True)
    }
    files = [_file(str(name), lines, counts) for name, lines in grouped.items() if dict(lines).get("rows read")]
    return RecordsAudit(facts, files, [_table(name, grouped.get(name, ())) for name in SPECS])


def _file(name: str, lines: Iterable[tuple[str, str]], counts: Counts) -> FileAudit:
    found = FileAudit(name.removeprefix(FILE))
    for check, value in lines:
        kind, _, reason = check.partition(": ")
        if check in ("rows read", "rows kept"):
            setattr(found, check.removeprefix("rows "), int(value))
        elif kind in ("set aside", "dropped"):
            found.lost.append(Lost(kind, reason, counts.text(int(value))))
        elif check == "column not read":
            found.unread.append(value)
    return found


_FILE_LINE = re.compile(r"^(rows read|rows kept|rows|column not read|(set aside|dropped): .*)$")
_WORD = re.compile(r"^(never seen )?value of ([^:]+): (.*)$", re.DOTALL)
_MEASURE = re.compile(r"^(rows|impossible values|range) of (Chart|Monitor) (\S+)$")


def _table(name: str, lines: Iterable[tuple[str, str]]) -> TableAudit:
    found, measures = TableAudit(name), dict[str, dict[str, str]]()
    for check, value in lines:
        if _FILE_LINE.match(check):
            continue
        if (match := _MEASURE.match(check)) is not None:
            measures.setdefault(f"{match[3]} ({match[2]})", {})[match[1]] = value
        elif (match := _WORD.match(check)) is not None:
            _add_word(found, match, value)
        else:
            _add_line(found, check, value)
    found.measures = [_measure(words, counted) for words, counted in measures.items()]
    return found


def _add_word(found: TableAudit, match: re.Match[str], value: str) -> None:
    """A never seen value comes a second time, after the vocabulary that holds it."""
    new, column, word = match.groups()
    if new:
        found.never_seen.setdefault(column, []).append(word)
        words = found.vocabularies.get(column, [])
        found.vocabularies[column] = [entry._replace(new=entry.new or entry.word == word) for entry in words]
    else:
        found.vocabularies.setdefault(column, []).append(Word(word, _grouped(value), new=False))


def _add_line(found: TableAudit, check: str, value: str) -> None:
    met, _, rows = value.partition(" of ")
    if check.startswith("missing share of "):
        if float(value) > 0:
            found.missing.append((check.removeprefix("missing share of "), percent(float(value))))
    elif check.startswith("range of "):
        found.ranges.append(_range(check.removeprefix("range of "), _points(value)))
    elif check == "made from":
        found.origin = value
    elif check == "no counterpart":
        found.absent.append(value)
    elif rows.isdigit():
        found.checks.append(Share(check, _grouped(met), _grouped(rows), _share(met, rows)))
    else:
        found.facts.append((check, value))


def _measure(words: str, counted: dict[str, str]) -> Spread:
    return Spread(
        words, _points(counted.get("range", "")), _grouped(counted["rows"]), _grouped(counted["impossible values"])
    )


def _range(name: str, points: tuple[str, ...]) -> Spread:
    """Times are stored in seconds; nobody reads hours in them, so they are told in minutes."""
    if not name.endswith("_s"):
        return Spread(name, points)
    return Spread(f"{name.removesuffix('_s')} (minutes)", tuple(_minutes(point) for point in points))


def _minutes(seconds: str) -> str:
    try:
        return f"{float(seconds) / 60:,.0f}"
    except ValueError:
        return seconds


def _points(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split("|"))
    return parts if len(parts) == _RANGE_PARTS else (text,)


def _grouped(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def _share(met: str, rows: str) -> str:
    if not met.isdigit() or rows == "0":
        return ""
    return percent(int(met) / int(rows))


def percent(share: float) -> str:
    """A share as written; what is not nothing is never written as 0."""
    return "<0.1 %" if 0 < share < 0.001 else f"{100 * share:.1f} %"
