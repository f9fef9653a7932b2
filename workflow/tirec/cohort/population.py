"""The visits that the tasks choose from, and the exclusions that hold for all of them (rules 3 and 4)."""

from collections.abc import Iterable

import polars as pl

from tirec.config.cohort import CohortConfig
from tirec.errors import DataError
from tirec.records.schema import ADMITTING, DISCHARGE

INCLUDED = "included"

Rule = tuple[str, pl.Expr]
"""A reason and the condition under which a visit is excluded for it."""

_FLAGS = {
    "expired": r"^expired",
    "left_unseen": r"left without being seen",
    "erroneous": r"erroneous registration",
    "left_against_advice": r"against medical advice",
    "transferred": r"transfer|acute care hospital|general hospital|psychiatric hospital",
}
"""What the free end of `dc_dispo`'s vocabulary is read for, without case."""


def visit_facts(visits: pl.DataFrame, splits: pl.DataFrame) -> pl.DataFrame:
    """`visits` with `in_split` and one flag per kind of final disposition; an unknown `ed_dispo` is a DataError."""
    _check_visits(visits)
    text = pl.col("dc_dispo").str.to_lowercase()
    return visits.with_columns(
        in_split=pl.col("csn").is_in(splits["csn"].implode()),
        **{flag: text.str.contains(pattern).fill_null(False) for flag, pattern in _FLAGS.items()},
    )


def _check_visits(visits: pl.DataFrame) -> None:
    if visits["csn"].is_duplicated().any():
        raise DataError(f"visits: {len(visits) - visits['csn'].n_unique()} visits are listed twice")
    known = pl.col("ed_dispo").is_in([DISCHARGE, *ADMITTING])
    unknown = visits.filter(~known & pl.col("ed_dispo").is_not_null())
    if len(unknown):
        raise DataError(
            f"visits: ED_dispo is not one of {DISCHARGE}, {', '.join(ADMITTING)} in {len(unknown)} rows "
            f"(first: data row {min(unknown['row'])})"
        )


def common_exclusions(config: CohortConfig) -> list[Rule]:
    """Rules 3 and 4, in order: they hold for every task."""
    departure = pl.col("departure_s")
    return [
        ("not_in_a_split", ~pl.col("in_split")),
        ("implausible_times", departure.is_null() | (departure <= 0)),
        ("left_without_being_seen", pl.col("left_unseen")),
        ("erroneous_registration", pl.col("erroneous")),
        ("left_against_advice", pl.col("left_against_advice") & (config.left_against_advice == "exclude")),
    ]


def first_reason(rules: Iterable[Rule]) -> pl.Expr:
    """The reason of the first rule that applies, else `included`; a condition that is unknown does not apply."""
    hits = [pl.when(condition.fill_null(False)).then(pl.lit(reason)) for reason, condition in rules]
    return pl.coalesce(*hits, pl.lit(INCLUDED)).alias("reason")
