"""Who comes: patients with their chronic burden, the day of their first visit and the shift of their dates."""

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.conditions import ETHNICITIES, RACES
from tirec.records.synthetic.draws import DAY, Floats, chance, correlated, levels, pick, seldom

STUDY_DAYS = 730
STUDY_START = 1_598_918_400
"""First second of the study in real time: September 2020."""
SHIFT_YEARS = (185, 272)
"""Whole years by which a patient's dates are shifted, so that visits lie in 2205 to 2295."""
YEAR_DAYS = 365.2425


def draw_patients(rng: np.random.Generator, n: int, config: SyntheticConfig, first: bool) -> pl.DataFrame:
    """n patients, one row each; `first` makes sure that the rare categories occur at least once."""
    frailty = rng.standard_normal(n)
    gender = np.array(["F", "M"])[pick(rng, (54.3, 45.7), n)]
    gender[seldom(rng, 0.0003, min(n, 150), at_least=int(first))] = "U"
    age = _ages(rng, frailty)
    return pl.DataFrame(
        {
            "patient": np.arange(n),
            "age": age,
            "gender": gender.astype(object),
            "race": _named(rng, RACES, n),
            "ethnicity": _named(rng, ETHNICITIES, n),
            "payor": _payor(rng, age),
            "frailty": frailty,
            "burden": levels(frailty, config.level_shares),
            "often_seen": chance(rng, 0.12, n),
            "first_s": rng.integers(0, STUDY_DAYS * DAY, n),
            "shift_s": _shifts(rng, n),
        },
        schema_overrides={"gender": pl.String, "race": pl.String, "ethnicity": pl.String, "payor": pl.String},
    )


def _ages(rng: np.random.Generator, frailty: Floats) -> Floats:
    return np.clip(52 + 21 * correlated(rng, frailty, 0.3), 18, 97)


def _named(rng: np.random.Generator, shares: dict[str, float], n: int) -> np.ndarray:
    return np.array(list(shares), dtype=object)[pick(rng, list(shares.values()), n)]


def _payor(rng: np.random.Generator, age: Floats) -> np.ndarray:
    draw = rng.random(len(age))
    payor = np.where(draw < 0.2, "Medicaid", "")
    return np.where((age >= 65) & (draw < 0.75), "Medicare", payor).astype(object)


def _shifts(rng: np.random.Generator, n: int) -> np.ndarray:
    """Seconds added to a patient's real times: whole years give or take three weeks, and a part of a day."""
    years = rng.integers(SHIFT_YEARS[0], SHIFT_YEARS[1], n, endpoint=True)
    days = np.rint(years * YEAR_DAYS).astype(np.int64) + rng.integers(-20, 21, n)
    return days * DAY + rng.integers(0, DAY, n)
