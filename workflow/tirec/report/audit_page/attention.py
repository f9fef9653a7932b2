"""What someone should look at before trusting the cohort: said at the top, each with where it stands."""

from collections.abc import Iterator

from tirec.report.audit_page.cohort import RateLine, SplitLine
from tirec.report.audit_page.records import RecordsAudit


def attention(records: RecordsAudit, splits: list[SplitLine], rates: list[RateLine]) -> list[str]:
    """Sentences, the most serious first; empty where there is nothing."""
    return [*_faults(records), *_vocabulary(records), *_splits(splits), *_classes(rates)]


def _faults(records: RecordsAudit) -> Iterator[str]:
    for file in records.files:
        for lost in file.lost:
            if lost.kind == "set aside":
                yield f"{file.name}: rows that could not be read: {lost.rows} ({lost.reason})."
        if file.unread:
            yield f"{file.name}: not read, because no rule asks for it: {', '.join(file.unread)}."


def _vocabulary(records: RecordsAudit) -> Iterator[str]:
    for table in records.tables:
        for column, new in table.never_seen.items():
            some = ", ".join(f"“{word}”" for word in new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
            yield f"{table.name}: {column} holds values never seen before: {some}. They were kept."


def _splits(splits: list[SplitLine]) -> Iterator[str]:
    yield from (f"The split {line.name} is empty." for line in splits if line.visits == "0")


def _classes(rates: list[RateLine]) -> Iterator[str]:
    names = ("training", "validation", "test")
    for line in rates:
        one = [name for name, rate in zip(names, line.rates, strict=True) if rate.share == "undefined"]
        if one:
            yield f"{line.task}, {line.setting}: one class only in {' and '.join(one)}; metrics there are undefined."
