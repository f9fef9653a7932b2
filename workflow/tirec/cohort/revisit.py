"""Return to the department within 3, 7 and 14 days of a discharge (rule 21)."""

import polars as pl

from tirec.cohort.population import Rule, common_exclusions, first_reason
from tirec.config.cohort import HOUR, SETTINGS, CohortConfig, RevisitConfig
from tirec.records.schema import DISCHARGE

FLAGS = ("left_against_advice", "next_visit_disagrees")
AGREEMENT_HOURS = 0.1
"""How far `hours_to_next_visit` may be from the patient's next row before the two are said to disagree."""


def label_revisit(facts: pl.DataFrame, config: CohortConfig) -> pl.DataFrame:
    """One row per visit and horizon: csn, setting, reason, cutoff_s, label and flags (label of included rows only)."""
    rules = [*common_exclusions(config), *_exclusions()]
    visits = facts.with_columns(first_reason(rules), _cutoff(config.revisit), _disagrees(facts))
    return pl.concat([_within(visits, *item) for item in SETTINGS["revisit"].items()])


def _exclusions() -> list[Rule]:
    return [
        ("disposition_missing", pl.col("ed_dispo").is_null()),
        ("not_discharged", pl.col("ed_dispo") != DISCHARGE),
        ("died_in_ed", pl.col("expired")),
        ("overlapping_next_visit", _hours_to_next() <= 0),
    ]


def _hours_to_next() -> pl.Expr:
    return pl.col("hours_to_next_visit").fill_nan(None)


def _cutoff(config: RevisitConfig) -> pl.Expr:
    decision, departure = pl.col("dispo_s"), pl.col("departure_s")
    usable = decision.is_between(0, departure) & (config.cutoff == "decision")
    return pl.when(usable).then(decision).otherwise(departure).cast(pl.Int64).alias("cutoff_s")


def _within(visits: pl.DataFrame, setting: str, horizon: int) -> pl.DataFrame:
    """The clock starts at departure whatever the cutoff; a blank column means that nobody came back."""
    returned = (_hours_to_next() <= horizon / HOUR).fill_null(False)
    return visits.select("csn", "reason", "cutoff_s", *FLAGS, setting=pl.lit(setting), label=returned.cast(pl.Int8))


def _disagrees(facts: pl.DataFrame) -> pl.Series:
    """Whether the column differs from the gap to the same patient's next arrival in the table (n,)."""
    departed = pl.col("arrival_abs_s") + pl.col("departure_s")
    following = facts.sort("mrn", "arrival_abs_s", "csn").select(
        "csn",
        hours=_hours_to_next(),
        gap=(pl.col("arrival_abs_s").shift(-1).over("mrn") - departed) / HOUR,
    )
    apart = (pl.col("hours") - pl.col("gap")).abs() > AGREEMENT_HOURS
    one_missing = pl.col("hours").is_null() != pl.col("gap").is_null()
    disagrees = following.select("csn", next_visit_disagrees=apart.fill_null(False) | one_missing)
    return facts.select("csn").join(disagrees, on="csn", how="left", maintain_order="left")["next_visit_disagrees"]
