"""The true course of each vital sign over a visit, in closed form: a level, and at most one change that may ebb."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.draws import HOUR, MINUTE, Flags, Floats, Ints, chance

EBB_S = 1.5 * HOUR
"""Seconds over which a change ebbs once it has been held."""


@dataclass(frozen=True)
class Threatened:
    """A vital that may cross its limit: its usual level (mean, sd, low, high), its narrow level and how far it goes."""

    measure: str
    limit: float
    usual: tuple[float, float, float, float]
    narrow: tuple[float, float]
    beyond: tuple[float, float]


HEART_RATE = Threatened("hr", 111.0, (77, 8, 52, 89), (97, 104), (120, 134))
PRESSURE = Threatened("map", 64.0, (95, 8, 82, 122), (69.5, 74.5), (51, 58))
SATURATION = Threatened("spo2", 89.5, (97.3, 1.0, 95.3, 99.6), (92.2, 94.2), (83, 87))
THREATENED = (HEART_RATE, PRESSURE, SATURATION)


def true_level(story: pl.DataFrame, measure: str, rows: Ints, time_s: Floats | Ints) -> Floats:
    """True value of a vital of the story's visits `rows` at these seconds from arrival."""
    base, change, onset, rise, hold = (
        story[f"{measure}_{part}"].to_numpy()[rows] for part in ("base", "change", "onset_s", "rise_s", "hold_s")
    )
    risen = np.clip((time_s - onset) / rise, 0, 1)
    ebbed = np.clip((time_s - onset - rise - hold) / EBB_S, 0, 1)
    return base + change * risen * (1 - 0.6 * ebbed)


def threatened_course(
    rng: np.random.Generator, vital: Threatened, aligned_s: Floats, config: SyntheticConfig
) -> dict[str, np.ndarray]:
    """Columns of a vital that may cross its limit some time after `aligned_s` (15 minutes of monitoring)."""
    n = len(aligned_s)
    narrow = chance(rng, config.narrow_share, n)
    declines = chance(rng, np.where(narrow, config.decline_if_narrow, config.decline_else), n)
    base = _bases(rng, vital, narrow | declines)
    change = np.where(declines, rng.uniform(*vital.beyond, n) - base, 0.0)
    crossing = aligned_s + rng.uniform(*config.decline_minutes, n) * MINUTE
    rise = rng.uniform(70, 150, n) * MINUTE
    share = np.divide(vital.limit - base, change, out=np.zeros(n), where=declines)
    name = vital.measure
    return {
        f"{name}_narrow": narrow,
        f"{name}_declines": declines,
        **_course(name, base, change, crossing - share * rise, rise, rng.uniform(40, 240, n) * MINUTE),
    }


def _bases(rng: np.random.Generator, vital: Threatened, narrow: Flags) -> Floats:
    mean, spread, low, high = vital.usual
    usual = np.clip(mean + spread * rng.standard_normal(len(narrow)), low, high)
    return np.where(narrow, rng.uniform(*vital.narrow, len(narrow)), usual)


def _course(
    name: str, base: Floats, change: Floats, onset: Floats, rise: Floats, hold: Floats
) -> dict[str, np.ndarray]:
    parts = {"base": base, "change": change, "onset_s": onset, "rise_s": rise, "hold_s": hold}
    return {f"{name}_{part}": values for part, values in parts.items()}


def temperature_course(rng: np.random.Generator, departure_s: Floats, config: SyntheticConfig) -> dict[str, np.ndarray]:
    """Celsius: most are normal, some become febrile after triage and stay so, some lose the fever they came with."""
    n = len(departure_s)
    fever = chance(rng, config.fever_share, n)
    defervesces = chance(rng, 0.05, n) & ~fever
    base = np.where(defervesces, rng.uniform(38.0, 39.0, n), np.clip(36.8 + 0.25 * rng.standard_normal(n), 36.1, 37.4))
    target = np.where(fever, rng.uniform(38.3, 39.4, n), np.where(defervesces, 36.9, base))
    onset = rng.uniform(0.05, 0.3, n) * departure_s
    rise = np.minimum(50 * MINUTE, 0.3 * departure_s) + 1
    return {"fever": fever, **_course("temp", base, target - base, onset, rise, np.full(n, 100 * HOUR))}


def steady_course(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Breaths per minute: each visit its own level, without a change."""
    base = np.clip(17 + 2.2 * rng.standard_normal(n), 11, 26)
    return _course("rr", base, np.zeros(n), np.zeros(n), np.ones(n), np.zeros(n))
