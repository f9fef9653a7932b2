"""Rows that nurses chart: sets of vitals at triage, in the waiting room, after rooming and before departure."""

import numpy as np
import polars as pl

from tirec.records.synthetic.courses import THREATENED, true_level
from tirec.records.synthetic.draws import MINUTE, Floats, Ints, chance, ragged
from tirec.records.synthetic.monitoring import split_pressure

SHARES = {"HR": 0.98, "RR": 0.9, "SpO2": 0.97, "BP": 0.95, "Temp": 0.75, "Pain": 0.6}
"""Share of charted sets that hold each measure."""
TRIAGE_WEIGHT = 0.3
"""How much of a vital's deviation shows at triage: reserves narrow after it, or the view at the door would tell all."""
NOISE = {"HR": 3.0, "RR": 1.5, "SpO2": 0.5, "Temp": 0.12}


def triage_vitals(rng: np.random.Generator, story: pl.DataFrame) -> dict[str, Floats]:
    """The triage columns of visits.csv before anything is left out; closer to everybody's than later values."""
    n = story.height
    rows, at = np.arange(n), np.full(n, 3 * MINUTE)
    level = {name: true_level(story, name, rows, at) for name in ("rr", "temp")}
    for vital in THREATENED:
        usual = vital.usual[0]
        level[vital.measure] = usual + TRIAGE_WEIGHT * (true_level(story, vital.measure, rows, at) - usual)
    upper, lower = split_pressure(level["map"] + 6 * rng.standard_normal(n), 50 + 10 * rng.standard_normal(n))
    return {
        "Triage_Temp": np.round(level["temp"] + 0.25 * rng.standard_normal(n), 1),
        "Triage_HR": np.rint(level["hr"] + 4 + 9 * rng.standard_normal(n)),
        "Triage_RR": np.rint(level["rr"] + 1.5 * rng.standard_normal(n)),
        "Triage_SpO2": np.rint(np.minimum(level["spo2"] + 1.0 * rng.standard_normal(n), 100)),
        "Triage_SBP": upper,
        "Triage_DBP": lower,
    }


def chart_rows(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """Chart rows of numerics: visit (row of the story), Source, Measure, Value, time_s (seconds from arrival)."""
    visit, time, last = _sets(rng, story)
    kept = {measure: chance(rng, share, len(visit)) for measure, share in SHARES.items()}
    for measure in ("HR", "Temp"):
        kept[measure] |= last
    parts = [
        _rows(name, visit, time, kept[name], _value(rng, story, name, visit, time))
        for name in ("HR", "RR", "SpO2", "Temp")
    ]
    parts.extend(_pressures(rng, story, visit, time, kept["BP"]))
    parts.append(_rows("Pain", visit, time, kept["Pain"], rng.integers(0, 11, len(visit)).astype(float)))
    parts.append(_oxygen(rng, story, visit, time))
    return pl.concat(parts).with_columns(Source=pl.lit("Chart"))


def _sets(rng: np.random.Generator, story: pl.DataFrame) -> tuple[Ints, Ints, np.ndarray]:
    """Visit and time of every charted set, and whether it is the one before departure."""
    n = story.height
    roomed, departure = story["roomed_s"].to_numpy(), story["departure_s"].to_numpy()
    every, later = rng.integers(18, 40, n) * MINUTE, rng.integers(55, 100, n) * MINUTE
    first = np.minimum(rng.integers(2, 9, n) * MINUTE, departure)
    waiting = ((np.minimum(roomed, departure) - first) // every).clip(min=0)
    inside = np.where(story["unseen"].to_numpy(), 0, 1 + (departure - roomed) // later).clip(min=0)
    final = departure - rng.integers(3, 20, n) * MINUTE
    pieces = []
    for counts, start, step in (
        (1 + waiting, first, every),
        (inside, roomed + 2 * MINUTE, later),
        (np.ones_like(roomed), final, later),
    ):
        visit, place = ragged(counts)
        pieces.append((visit, start[visit] + place * step[visit] + rng.integers(0, 50, len(visit))))
    visit, time = (np.concatenate(column) for column in zip(*pieces, strict=True))
    last = np.arange(len(visit)) >= len(visit) - n
    kept = (time >= 0) & (time <= departure[visit])
    return visit[kept], time[kept], last[kept]


def _rows(measure: str, visit: Ints, time: Ints, kept: np.ndarray, value: Floats) -> pl.DataFrame:
    frame = pl.DataFrame({"visit": visit[kept], "Value": value[kept], "time_s": time[kept]})
    return frame.with_columns(Measure=pl.lit(measure, pl.String))


def _value(rng: np.random.Generator, story: pl.DataFrame, measure: str, visit: Ints, time: Ints) -> Floats:
    level = true_level(story, measure.lower(), visit, time) + NOISE[measure] * rng.standard_normal(len(visit))
    if measure == "Temp":
        return np.round(level * 1.8 + 32, 1)
    return np.rint(np.minimum(level, 100.0) if measure == "SpO2" else level)


def _pressures(
    rng: np.random.Generator, story: pl.DataFrame, visit: Ints, time: Ints, kept: np.ndarray
) -> list[pl.DataFrame]:
    mean = true_level(story, "map", visit, time) + 2.5 * rng.standard_normal(len(visit))
    upper, lower = split_pressure(mean, 46 + 5 * rng.standard_normal(len(visit)))
    derived = np.round((upper + 2 * lower) / 3, 2)
    return [_rows(name, visit, time, kept, value) for name, value in (("SBP", upper), ("DBP", lower), ("MAP", derived))]


def _oxygen(rng: np.random.Generator, story: pl.DataFrame, visit: Ints, time: Ints) -> pl.DataFrame:
    """Supplemental oxygen where saturation is low, and now and then elsewhere."""
    low = true_level(story, "spo2", visit, time) < 91
    kept = (low & chance(rng, 0.7, len(visit))) | chance(rng, 0.02, len(visit))
    flow = np.where(chance(rng, 0.02, len(visit)), 50.0, rng.integers(1, 7, len(visit)).astype(float))
    return _rows("LPM_O2", visit, time, kept, flow)
