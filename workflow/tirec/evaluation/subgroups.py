"""Who the patients are, for evaluation only: these columns enter no prompt and no feature."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from tirec.records.small_counts import SMALL

UNKNOWN = "unknown"
WHOLE = "everyone"
_FROM_VISITS = {
    "sex": "gender",
    "race": "race",
    "ethnicity": "ethnicity",
    "arrival": "means_of_arrival",
    "acuity": "triage_acuity",
}
VISIT_COLUMNS = ("csn", "age", *_FROM_VISITS.values())
"""What is read of the visits table."""
ATTRIBUTES = ("sex", "age", "race", "ethnicity", "arrival", "acuity", "monitor")
"""In the order of the tables; a further one is a column of `describe`'s result and a name here."""
_UNSAID = ("U", "Unknown", "Declines to State")


def describe(cases: pl.DataFrame, visits: pl.DataFrame, monitored: pl.DataFrame, bands: Sequence[int]) -> pl.DataFrame:
    """instance_id and one text column per attribute.

    cases: instance_id, csn, cutoff_s; visits: columns of the visits table; monitored: csn, first_s (the visit's first
    monitor value). `monitor` is about values by the cutoff.
    """
    known = visits.select("csn", pl.col("age").alias("years"), *(pl.col(name) for name in _FROM_VISITS.values()))
    joined = cases.join(known, on="csn", how="left").join(monitored, on="csn", how="left")
    on_monitor = (pl.col("first_s") <= pl.col("cutoff_s")).fill_null(False)
    return joined.select(
        "instance_id",
        *(_said(column).alias(name) for name, column in _FROM_VISITS.items()),
        age_band(pl.col("years"), bands).alias("age"),
        pl.when(on_monitor).then(pl.lit("monitor data")).otherwise(pl.lit("no monitor data")).alias("monitor"),
    ).select("instance_id", *ATTRIBUTES)


def _said(column: str) -> pl.Expr:
    unsaid = pl.col(column).is_null() | pl.col(column).is_in(_UNSAID)
    return pl.when(unsaid).then(pl.lit(UNKNOWN)).otherwise(pl.col(column))


def age_band(years: pl.Expr, bands: Sequence[int]) -> pl.Expr:
    """`under 40`, `40-64`, …, `80 and over`, or unknown."""
    *younger, oldest = age_names(bands)
    found = pl.lit(oldest)
    for bound, name in zip(reversed(bands), reversed(younger), strict=True):
        found = pl.when(years < bound).then(pl.lit(name)).otherwise(found)
    return pl.when(years.is_null()).then(pl.lit(UNKNOWN)).otherwise(found)


def age_names(bands: Sequence[int]) -> list[str]:
    """The names of the age bands, youngest first."""
    between = (f"{low}-{high - 1}" for low, high in pairwise(bands))
    return [f"under {bands[0]}", *between, f"{bands[-1]} and over"]


def first_monitor_values(numerics: pl.LazyFrame, visits: Iterable[int]) -> pl.DataFrame:
    """csn, first_s of the visits that were on a monitor."""
    rows = numerics.filter((pl.col("source") == "Monitor") & pl.col("csn").is_in(list(visits)))
    return rows.group_by("csn").agg(pl.col("time_s").min().alias("first_s")).collect()


def levels(attribute: str, present: Iterable[str], bands: Sequence[int]) -> list[str]:
    """The levels that are present, in the order of the tables: ages rise, others by name, unknown last."""
    order = {name: place for place, name in enumerate(age_names(bands))} if attribute == "age" else {}
    return sorted(present, key=lambda level: (level == UNKNOWN, order.get(level, 0), level))


@dataclass(frozen=True)
class Hidden:
    """Levels of an attribute that are not shown as they are."""

    small: frozenset[str]
    """Fewer than 11 patients: nothing about them is shown."""
    counts: frozenset[str]
    """Large enough, but their counts would give a small one away: their counts are not shown."""


def hidden(sizes: pl.DataFrame) -> Hidden:
    """What must be hidden of an attribute, given that the total over its levels is shown.

    sizes: level and `patients` (list of MRN). The next smallest levels lose their counts while the hidden ones are a
    single level or hold fewer than 11 patients together.
    """
    known = [(set(patients), str(level)) for level, patients in sizes.select("level", "patients").iter_rows()]
    ordered = sorted((one for one in known if one[0]), key=lambda one: (len(one[0]), one[1]))
    small = [one for one in ordered if len(one[0]) < SMALL]
    out, others = list(small), ordered[len(small) :]
    while out and others and (len(out) == 1 or len(set().union(*(who for who, _ in out))) < SMALL):
        out.append(others.pop(0))
    named = frozenset(level for _, level in small)
    return Hidden(named, frozenset(level for _, level in out) - named)
