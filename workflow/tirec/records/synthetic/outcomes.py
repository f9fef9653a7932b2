"""The planted outcome models: who is admitted and where to, who comes back and when."""

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.conditions import (
    AFTER_ADMISSION,
    AFTER_DISCHARGE,
    AGAINST_ADVICE,
    ERRONEOUS,
    EXPIRED,
    LEFT_UNSEEN,
)
from tirec.records.synthetic.courses import true_level
from tirec.records.synthetic.draws import DAY, HOUR, Flags, Floats, Ints, chance, logistic, lognormal, pick

PLANTED: dict[str, tuple[str, ...]] = {
    "disposition": ("labs", "orders", "imaging", "history"),
    "decompensation": ("heart_rate", "blood_pressure", "oxygen_saturation"),
    "revisit": ("heart_rate", "temperature", "history"),
}
"""The clinical functions through which each task's planted causes can be seen, in the registry's order."""
RETURN_EDGES_H = (6.0, 72.0, 168.0, 336.0)
RETURN_SHARES = (0.42, 0.28, 0.30)
"""How returns within 14 days spread over 3, 7 and 14 days."""


def admission_odds(burden: Ints, severity: Floats, causes: dict[str, np.ndarray], config: SyntheticConfig) -> Floats:
    """Probability of admission; a level that was not looked for counts as the average, so not looking says nothing."""
    average = config.level_shares[1] + 2 * config.level_shares[2]
    found = {name: np.where(causes[name] < 0, average, causes[name]) for name in ("derangement", "finding")}
    score = (
        config.admission_per_treatment * causes["treatment"]
        + config.admission_per_derangement * found["derangement"]
        + config.admission_per_finding * found["finding"]
        + config.admission_per_burden * burden
        + config.admission_per_severity * severity
    )
    return logistic(config.admission_intercept + score)


def where_to(rng: np.random.Generator, visits: pl.DataFrame) -> list[pl.Series]:
    """ED_dispo, DC_dispo and days in hospital."""
    n = visits.height
    admitted, unseen = visits["admitted"].to_numpy(), visits["unseen"].to_numpy()
    ward = np.array(["Inpatient", "Observation", "ICU"], dtype=object)[pick(rng, (0.6, 0.3, 0.1), n)]
    dispo = np.where(admitted, ward, "Discharge").astype(object)
    days = np.where(
        admitted,
        lognormal(rng, np.where(dispo == "ICU", 5.0, np.where(dispo == "Observation", 1.1, 3.0)), 0.6, n),
        np.nan,
    )
    return [
        pl.Series("ed_dispo", dispo, dtype=pl.String),
        pl.Series("dc_dispo", _final(rng, admitted, unseen), dtype=pl.String),
        pl.Series("hospital_days", days, nan_to_null=True),
    ]


def _final(rng: np.random.Generator, admitted: Flags, unseen: Flags) -> np.ndarray:
    n = len(admitted)
    home, ward = (
        np.array(list(words), dtype=object)[pick(rng, list(words.values()), n)]
        for words in (AFTER_DISCHARGE, AFTER_ADMISSION)
    )
    final = np.where(admitted, ward, home)
    final[~admitted & chance(rng, 0.012, n)] = AGAINST_ADVICE
    final[~admitted & chance(rng, 0.0006, n)] = EXPIRED
    final[unseen] = np.where(chance(rng, 0.05, n), ERRONEOUS, LEFT_UNSEEN)[unseen]
    return final


def return_odds(visits: pl.DataFrame, config: SyntheticConfig) -> Floats:
    """Probability of a return within 14 days of a discharge."""
    rows = np.arange(visits.height)
    rate = true_level(visits, "hr", rows, visits["departure_s"].to_numpy())
    fast = np.clip((rate - 90) / 10, 0, 1)
    score = config.return_per_burden * visits["burden"].to_numpy() + config.return_if_fever * visits["fever"].to_numpy()
    return logistic(config.return_intercept + score + config.return_if_fast * fast)


def next_arrival(rng: np.random.Generator, visits: pl.DataFrame, config: SyntheticConfig) -> list[pl.Series]:
    """Seconds of the study at which the patient comes again (infinite where the patient died)."""
    n = visits.height
    odds = return_odds(visits, config)
    discharged = ~visits["admitted"].to_numpy()
    soon = discharged & chance(rng, odds, n)
    gap = np.where(soon, _return_hours(rng, n) * HOUR, _later_days(rng, visits, config) * DAY)
    dead = (visits["dc_dispo"] == EXPIRED).to_numpy()
    leaves = visits["arrival_s"].to_numpy() + visits["departure_s"].to_numpy()
    return [
        pl.Series("p_return", np.where(discharged, odds, np.nan), nan_to_null=True),
        pl.Series("next_s", np.where(dead, np.inf, np.rint(leaves + gap))),
    ]


def _return_hours(rng: np.random.Generator, n: int) -> Floats:
    span = pick(rng, RETURN_SHARES, n)
    edges = np.asarray(RETURN_EDGES_H)
    return rng.uniform(edges[span], edges[span + 1])


def _later_days(rng: np.random.Generator, visits: pl.DataFrame, config: SyntheticConfig) -> Floats:
    """Days to a visit that is no return: after two weeks, or after two weeks from the end of the hospital stay."""
    mean = config.later_return_days * np.where(visits["often_seen"].to_numpy(), 0.2, 1.0)
    return 14.01 + visits["hospital_days"].fill_null(0.0).to_numpy() + rng.exponential(mean)
