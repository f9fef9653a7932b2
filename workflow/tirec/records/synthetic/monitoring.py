"""Rows that a bedside monitor exports: minute means stamped at the minute's end, cuff pressures, waveform totals."""

import numpy as np
import polars as pl

from tirec.records.synthetic.courses import true_level
from tirec.records.synthetic.draws import MINUTE, Floats, Ints, chance, ragged

RESPIRATION_SHARE = 0.61
"""Share of monitored visits with a respiration channel (MC-MED: 50,694 of 83,623)."""
PRESENT = {"HR": 0.95, "SpO2": 0.90, "RR": 0.75, "Perf": 0.35, "1min_HRV": 0.2}
"""Share of minutes that have a value; empty minutes are absent."""
NOISE = {"HR": 1.4, "SpO2": 0.4, "RR": 1.4}
PROBE_OFF = 0.002
"""Share of values that are 0 because a probe was off."""


def monitor_rows(rng: np.random.Generator, story: pl.DataFrame, density: float = 1.0) -> pl.DataFrame:
    """Monitor rows of numerics: visit (row of the story), Source, Measure, Value, time_s (seconds from arrival).

    `density` is the share of the minutes that are exported at all.
    """
    visit, time = _minutes(story)
    exported = chance(rng, density, len(visit))
    visit, time = visit[exported], time[exported]
    respires = chance(rng, RESPIRATION_SHARE, story.height)
    parts = []
    for measure, share in PRESENT.items():
        kept = chance(rng, share, len(visit))
        if measure == "RR":
            kept &= respires[visit]
        parts.append(_rows(measure, visit[kept], time[kept], _values(rng, story, measure, visit[kept], time[kept])))
    fifth = np.flatnonzero((time // MINUTE) % 5 == 0)
    parts.append(_rows("5min_HRV", visit[fifth], time[fifth], np.exp(rng.normal(3.4, 0.4, len(fifth)))))
    parts.extend(_cuff(rng, story))
    return pl.concat(parts).with_columns(Source=pl.lit("Monitor"))


def grid_offset(story: pl.DataFrame) -> Ints:
    """Seconds from each arrival to the next end of a real minute, on which monitor stamps lie."""
    return (-story["arrival_s"].to_numpy()) % MINUTE


def _minutes(story: pl.DataFrame) -> tuple[Ints, Ints]:
    """Visit and stamp of every monitored minute."""
    on, off = story["monitor_on_s"].to_numpy(), story["monitor_off_s"].to_numpy()
    counts = np.where(story["monitored"].to_numpy(), (off - on) // MINUTE, 0).clip(min=0)
    visit, minute = ragged(counts)
    offset = grid_offset(story)
    first = offset + (on - offset + MINUTE - 1) // MINUTE * MINUTE
    time = first[visit] + minute * MINUTE
    kept = time <= story["departure_s"].to_numpy()[visit]
    return visit[kept], time[kept]


def _rows(measure: str, visit: Ints, time: Ints, value: Floats) -> pl.DataFrame:
    """One measure's rows; values to two decimals, as minute means are no whole numbers."""
    frame = pl.DataFrame({"visit": visit, "Value": np.round(value, 2), "time_s": time})
    return frame.with_columns(Measure=pl.lit(measure, pl.String))


def _values(rng: np.random.Generator, story: pl.DataFrame, measure: str, visit: Ints, time: Ints) -> Floats:
    n = len(visit)
    if measure == "Perf":
        return np.exp(rng.normal(0.6, 0.5, n)).clip(0.05, 20)
    if measure == "1min_HRV":
        return np.exp(rng.normal(3.3, 0.5, n))
    value = true_level(story, measure.lower(), visit, time) + NOISE[measure] * rng.standard_normal(n)
    value = np.minimum(value, 100.0) if measure == "SpO2" else value
    return np.where(chance(rng, PROBE_OFF, n), 0.0, value)


def _cuff(rng: np.random.Generator, story: pl.DataFrame) -> list[pl.DataFrame]:
    """Cuff readings every quarter of an hour or so: systolic, diastolic and, derived from them, mean pressure."""
    visit, time = _readings(rng, story)
    n = len(visit)
    mean = true_level(story, "map", visit, time) + 1.5 * rng.standard_normal(n)
    upper, lower = split_pressure(mean, 46 + 4 * rng.standard_normal(n))
    off = chance(rng, PROBE_OFF, n)
    upper, lower = np.where(off, 0.0, upper), np.where(off, 0.0, lower)
    derived = chance(rng, 0.97, n)
    return [
        _rows("SBP", visit, time, upper),
        _rows("DBP", visit, time, lower),
        _rows("MAP", visit[derived], time[derived], ((upper + 2 * lower) / 3)[derived]),
    ]


def _readings(rng: np.random.Generator, story: pl.DataFrame) -> tuple[Ints, Ints]:
    every = rng.integers(8, 15, story.height) * MINUTE
    on, off = story["monitor_on_s"].to_numpy(), story["monitor_off_s"].to_numpy()
    counts = np.where(story["monitored"].to_numpy(), (off - on) // every, 0).clip(min=0)
    visit, place = ragged(counts)
    offset = grid_offset(story)
    time = on[visit] + MINUTE + place * every[visit]
    time = offset[visit] + (time - offset[visit]) // MINUTE * MINUTE
    kept = (time > story["roomed_s"].to_numpy()[visit]) & (time <= story["departure_s"].to_numpy()[visit])
    return visit[kept], time[kept]


def split_pressure(mean: Floats, pulse: Floats) -> tuple[Floats, Floats]:
    """Whole systolic and diastolic pressure around a mean pressure."""
    pulse = np.clip(pulse, 20, 90)
    return np.rint(mean + 2 * pulse / 3), np.rint(mean - pulse / 3)


def waveform_rows(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """waveform_summary.csv: channels, segments and seconds over the whole visit."""
    watched = story.filter("monitored").select("CSN", "monitor_on_s", "monitor_off_s")
    parts = []
    for channel, share in (("II", 0.985), ("Pleth", 0.98), ("Resp", RESPIRATION_SHARE)):
        kept = watched.filter(pl.Series(chance(rng, share, watched.height)))
        span = (kept["monitor_off_s"] - kept["monitor_on_s"]).clip(60) * pl.Series(rng.uniform(0.7, 1, kept.height))
        parts.append(
            kept.select(
                "CSN",
                Type=pl.lit(channel),
                Segments=pl.Series(1 + rng.poisson(1.5, kept.height)),
                Duration=span.round(3),
            )
        )
    return pl.concat(parts).sort("CSN", "Type")
