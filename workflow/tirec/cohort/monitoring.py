"""What the monitor and the chart say around the decompensation cutoff, one row per visit (rules 6 and 16 to 20)."""

from collections.abc import Iterator

import polars as pl

from tirec.config.cohort import SETTINGS, DecompensationConfig
from tirec.records import vitals

ABNORMAL = {"HR": pl.col("value") > 110, "MAP": pl.col("value") < 65, "SpO2": pl.col("value") < 90}
"""Strict: a heart rate of 110, a mean pressure of 65 and a saturation of 90 are normal."""
ASSESSMENT_S = 15 * 60
APART_S = 2 * 60
"""Two abnormal minutes count as persistent when they are at most this far apart."""
CHUNK_VISITS = 2_000
MEASURES = ("HR", "SpO2", "SBP", "DBP", "MAP")
_MONITOR = pl.col("source") == "Monitor"


def triage_vitals(visits: pl.DataFrame) -> pl.DataFrame:
    """Triage readings that are possible: columns csn, vital, abnormal; pressures as MAP."""
    names = {"HR": "triage_hr", "SpO2": "triage_spo2", "SBP": "triage_sbp", "DBP": "triage_dbp"}
    columns = [pl.col(column).cast(pl.Float32).alias(measure) for measure, column in names.items()]
    values = visits.select("csn", "row", *columns).unpivot(index=["csn", "row"], variable_name="measure")
    numerics = values.drop_nulls().with_columns(source=pl.lit("Triage"), time_s=pl.lit(0, pl.Int64))
    return readings(numerics).select("csn", "vital", "abnormal")


def readings(numerics: pl.DataFrame) -> pl.DataFrame:
    """Valid heart rates, saturations and mean pressures: csn, source, time_s, vital, abnormal."""
    rows = {name: vitals.valid(numerics, name) for name in ("HR", "SpO2")}
    rows["MAP"] = vitals.mean_arterial_pressure(numerics)
    source = pl.col("source").cast(pl.String)
    return pl.concat(
        frame.select("csn", source, "time_s", vital=pl.lit(name), abnormal=ABNORMAL[name])
        for name, frame in rows.items()
    )


def courses(visits: pl.DataFrame, numerics: pl.LazyFrame, rules: DecompensationConfig) -> pl.DataFrame:
    """`course` of many visits, read from `numerics` (sorted by csn) a few thousand visits at a time."""
    parts = [course(chunk, rows, rules) for chunk, rows in _chunks(visits, numerics)]
    return pl.concat(parts) if parts else course(visits, numerics.head(0).collect(), rules)


def _chunks(visits: pl.DataFrame, numerics: pl.LazyFrame) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    wanted = pl.col("measure").cast(pl.String).is_in(MEASURES)
    for chunk in visits.sort("csn").iter_slices(CHUNK_VISITS):
        span = pl.col("csn").is_between(chunk["csn"][0], chunk["csn"][-1])
        yield chunk, numerics.filter(span & wanted).collect()


def course(visits: pl.DataFrame, numerics: pl.DataFrame, rules: DecompensationConfig) -> pl.DataFrame:
    """One row per visit of `visits` (csn, roomed_s, departure_s).

    Columns: csn, cutoff_s (null without a monitor heart rate), oxygen_seen, unstable, minutes_{vital}_{setting}
    (distinct Monitor minutes with a valid value between cutoff and the end of the horizon or of the stay),
    onset_{vital} (first abnormal second after the cutoff, null if none) and confirmed_{vital} (first second at which
    it has lasted two minutes' worth of values; for a mean pressure the onset).
    """
    usable = _usable(visits, readings(numerics))
    timed = usable.join(_cutoffs(usable), on="csn")
    after = timed.filter((pl.col("time_s") > pl.col("cutoff_s")) & (pl.col("time_s") <= pl.col("departure_s")))
    found = visits.select("csn")
    for part in (_cutoffs(usable), _before(timed), _minutes(after), _onsets(after, rules)):
        found = found.join(part, on="csn", how="left", maintain_order="left")
    return found.with_columns(pl.col(r"^minutes_.*$").fill_null(0))


def _usable(visits: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Monitor rows strictly after rooming (stamps are ends of minutes) and Chart rows from arrival on."""
    stay = visits.select("csn", "roomed_s", "departure_s")
    since = pl.when(_MONITOR).then(pl.col("time_s") > pl.col("roomed_s")).otherwise(pl.col("time_s") >= 0)
    return rows.join(stay, on="csn").filter(since)


def _cutoffs(usable: pl.DataFrame) -> pl.DataFrame:
    first = pl.col("time_s").min() + ASSESSMENT_S
    return usable.filter(_MONITOR & (pl.col("vital") == "HR")).group_by("csn").agg(cutoff_s=first)


def _before(timed: pl.DataFrame) -> pl.DataFrame:
    oxygen = _MONITOR & (pl.col("vital") == "SpO2")
    by_cutoff = timed.filter(pl.col("time_s") <= pl.col("cutoff_s"))
    return by_cutoff.group_by("csn").agg(oxygen_seen=oxygen.any(), unstable=pl.col("abnormal").any())


def _minutes(after: pl.DataFrame) -> pl.DataFrame:
    """Distinct minutes counted from the cutoff: minute 0 is (cutoff, cutoff + 60 s]."""
    minute = (pl.col("time_s") - pl.col("cutoff_s") - 1) // 60
    observed = after.filter(_MONITOR).select("csn", "vital", minute=minute).unique()
    counts = [
        ((pl.col("vital") == vital) & (pl.col("minute") < horizon // 60)).sum().alias(f"minutes_{vital}_{setting}")
        for vital in ABNORMAL
        for setting, horizon in SETTINGS["decompensation"].items()
    ]
    return observed.group_by("csn").agg(counts)


def _onsets(after: pl.DataFrame, rules: DecompensationConfig) -> pl.DataFrame:
    counted = _MONITOR | (rules.label_source == "monitor_and_chart")
    abnormal = after.filter(counted & pl.col("abnormal")).select("csn", "vital", "time_s").unique()
    since_last = pl.col("time_s").diff().over("csn", "vital", order_by="time_s")
    lasting = (since_last <= APART_S).fill_null(False) | (pl.col("vital") == "MAP")
    marked = abnormal.with_columns(lasting=lasting)
    return marked.group_by("csn").agg(*(_first(vital) for vital in ABNORMAL), *(_first_lasting(v) for v in ABNORMAL))


def _first(vital: str) -> pl.Expr:
    return pl.col("time_s").filter(pl.col("vital") == vital).min().alias(f"onset_{vital}")


def _first_lasting(vital: str) -> pl.Expr:
    rows = (pl.col("vital") == vital) & pl.col("lasting")
    return pl.col("time_s").filter(rows).min().alias(f"confirmed_{vital}")
