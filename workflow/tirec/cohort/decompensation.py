"""Deterioration of initially stable patients within 60, 90 and 120 minutes of the cutoff (rules 16 to 20)."""

import polars as pl

from tirec.cohort.monitoring import courses, triage_vitals
from tirec.cohort.population import INCLUDED, Rule, common_exclusions, first_reason
from tirec.config.cohort import SETTINGS, CohortConfig, DecompensationConfig

VITALS = {"HR": "hr", "MAP": "map", "SpO2": "spo2"}
FLAGS = ("left_early", "isolated", "left_against_advice")


def label_decompensation(facts: pl.DataFrame, numerics: pl.LazyFrame, config: CohortConfig) -> pl.DataFrame:
    """One row per visit and horizon: csn, setting, reason, cutoff_s, label, component labels, minutes and flags."""
    roomed = facts.with_columns(pl.col("roomed_s").clip(lower_bound=0))
    early = [*common_exclusions(config), ("not_roomed", pl.col("roomed_s").is_null())]
    candidates = roomed.filter(first_reason(early) == INCLUDED)
    visits = roomed.join(courses(candidates, numerics, config.decompensation), on="csn", how="left")
    visits = visits.join(_triage(facts), on="csn", how="left", maintain_order="left")
    rules = [*early, *_exclusions(config.decompensation)]
    return pl.concat([_within(visits, rules, config.decompensation, *item) for item in _horizons()])


def _horizons() -> list[tuple[str, int]]:
    return list(SETTINGS["decompensation"].items())


def _triage(facts: pl.DataFrame) -> pl.DataFrame:
    """csn and three flags: a triage vital is missing, impossible, or abnormal."""
    asked = {"HR": ["triage_hr"], "SpO2": ["triage_spo2"], "MAP": ["triage_sbp", "triage_dbp"]}
    possible = triage_vitals(facts).group_by("csn").agg(vital="vital", triage_abnormal=pl.col("abnormal").any())
    there = {vital: pl.all_horizontal(pl.col(columns).is_not_null()) for vital, columns in asked.items()}
    judged = {vital: pl.col("vital").list.contains(vital).fill_null(False) for vital in asked}
    return facts.join(possible, on="csn", how="left").select(
        "csn",
        "triage_abnormal",
        triage_missing=~pl.all_horizontal(there.values()),
        triage_impossible=pl.any_horizontal(there[vital] & ~judged[vital] for vital in asked),
    )


def _exclusions(rules: DecompensationConfig) -> list[Rule]:
    return [
        ("no_monitor_heart_rate", pl.col("cutoff_s").is_null()),
        ("cutoff_after_departure", pl.col("cutoff_s") > pl.col("departure_s")),
        ("triage_missing", pl.col("triage_missing") & (rules.triage_missing == "exclude")),
        ("triage_impossible", pl.col("triage_impossible")),
        ("triage_abnormal", pl.col("triage_abnormal")),
        ("no_monitor_saturation", ~pl.col("oxygen_seen")),
        ("unstable_by_cutoff", pl.col("unstable")),
    ]


def _uncovered(rules: DecompensationConfig, setting: str) -> pl.Expr:
    """Whether the horizon is too little observed to be labelled; looks at no value (rule 19)."""
    asked = ("HR", "SpO2", "MAP") if rules.coverage == "hr_spo2_map" else ("HR", "SpO2")
    unseen = pl.any_horizontal(pl.col(f"minutes_{vital}_{setting}") == 0 for vital in asked)
    return unseen | (pl.col("left_early") & (rules.coverage == "full_horizon"))


def _within(
    visits: pl.DataFrame, rules: list[Rule], config: DecompensationConfig, setting: str, horizon: int
) -> pl.DataFrame:
    """Labels of one horizon; a component that the monitor never measured and nothing made positive stays null."""
    end = pl.col("cutoff_s") + horizon
    event = "onset" if config.persistence == "one" else "confirmed"
    seen = {vital: pl.col(f"minutes_{vital}_{setting}") for vital in VITALS}
    positive = {vital: (pl.col(f"{event}_{vital}") <= end).fill_null(False) for vital in VITALS}
    once = pl.any_horizontal((pl.col(f"onset_{vital}") <= end).fill_null(False) for vital in VITALS)
    lasting = pl.any_horizontal((pl.col(f"confirmed_{vital}") <= end).fill_null(False) for vital in VITALS)
    return visits.with_columns(left_early=(pl.col("departure_s") < end)).select(
        "csn",
        first_reason([*rules, ("not_observed_in_horizon", _uncovered(config, setting))]),
        "cutoff_s",
        "left_early",
        "left_against_advice",
        setting=pl.lit(setting),
        label=pl.any_horizontal(positive.values()).cast(pl.Int8),
        isolated=once & ~lasting,
        **{f"label_{name}": _component(positive[vital], seen[vital]) for vital, name in VITALS.items()},
        **{f"minutes_{name}": seen[vital].cast(pl.Int32) for vital, name in VITALS.items()},
    )


def _component(positive: pl.Expr, minutes: pl.Expr) -> pl.Expr:
    return pl.when(positive | (minutes > 0)).then(positive.cast(pl.Int8))
