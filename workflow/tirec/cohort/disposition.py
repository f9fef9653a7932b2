"""Admission against discharge at 1, 2 and 4 hours after arrival (rule 15)."""

import polars as pl

from tirec.cohort.population import Rule, common_exclusions, first_reason
from tirec.config.cohort import SETTINGS, CohortConfig, DispositionConfig
from tirec.records.schema import ADMITTING, DISCHARGE

FLAGS = ("observation", "left_against_advice", "transferred")


def label_disposition(facts: pl.DataFrame, config: CohortConfig) -> pl.DataFrame:
    """One row per visit and cutoff: csn, setting, reason, cutoff_s, label and flags (label of included rows only)."""
    return pl.concat([_at_cutoff(facts, config, *item) for item in SETTINGS["disposition"].items()])


def _at_cutoff(facts: pl.DataFrame, config: CohortConfig, setting: str, cutoff: int) -> pl.DataFrame:
    rules = [*common_exclusions(config), *_exclusions(config.disposition, cutoff)]
    return facts.select(
        "csn",
        first_reason(rules),
        "left_against_advice",
        "transferred",
        setting=pl.lit(setting),
        cutoff_s=pl.lit(cutoff, pl.Int64),
        label=pl.col("ed_dispo").is_in(_positives(config.disposition)).cast(pl.Int8),
        observation=pl.col("ed_dispo") == "Observation",
    )


def _positives(config: DispositionConfig) -> list[str]:
    return [name for name in ADMITTING if name != "Observation" or config.observation == "admission"]


def _exclusions(config: DispositionConfig, cutoff: int) -> list[Rule]:
    died = pl.col("expired") & (pl.col("ed_dispo") == DISCHARGE)
    return [
        ("observation_excluded", (pl.col("ed_dispo") == "Observation") & (config.observation == "excluded")),
        ("died_in_ed", died & (config.died_in_ed == "exclude")),
        ("implausible_times", pl.min_horizontal("dispo_s", "admit_s") < 0),
        ("not_at_risk", pl.min_horizontal(_ends_of_risk(config)) <= cutoff),
        ("disposition_missing", pl.col("ed_dispo").is_null()),
    ]


def _ends_of_risk(config: DispositionConfig) -> list[str]:
    """Stamps that end the time at risk; one that is blank does not (`min_horizontal` passes over nulls)."""
    return ["dispo_s", "admit_s", "departure_s"] if config.at_risk == "undecided" else ["departure_s"]
