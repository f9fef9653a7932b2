"""Which numbers of `numerics` count as measurements: valid ranges, derived mean pressure, temperature units."""

import polars as pl

from tirec.records.schema import VALID_RANGES

FAHRENHEIT = (77.0, 113.0)
"""Plausible band of a body temperature in degrees Fahrenheit, inclusive."""


def celsius(value: pl.Expr) -> pl.Expr:
    """Body temperature in degrees Celsius; the unit is decided per value by its plausible band, else null."""
    return (
        pl.when(value.is_between(*VALID_RANGES["Temp"]))
        .then(value)
        .when(value.is_between(*FAHRENHEIT))
        .then((value - 32) * 5 / 9)
    )


def in_range(value: pl.Expr, measure: str) -> pl.Expr:
    """True where `value` is a possible measurement of `measure` (inclusive; 0 is probe-off: cohort rule 6)."""
    return value.is_between(*VALID_RANGES[measure])


def valid_row(measure: str) -> pl.Expr:
    """True where the `value` of a row of `measure`, in the unit of the file, is possible."""
    value = pl.col("value")
    return in_range(celsius(value) if measure == "Temp" else value, measure).fill_null(False)


def valid(numerics: pl.DataFrame, measure: str) -> pl.DataFrame:
    """The rows of one measure whose value is possible; temperatures come back in degrees Celsius."""
    rows = numerics.filter(pl.col("measure") == measure)
    if measure == "Temp":
        rows = rows.with_columns(celsius(pl.col("value")).alias("value"))
    return rows.filter(in_range(pl.col("value"), measure))


def mean_arterial_pressure(numerics: pl.DataFrame) -> pl.DataFrame:
    """Mean arterial pressure in mmHg by cohort rule 6; columns csn, source, time_s, row, value.

    The MAP rows where valid, else (SBP + 2 DBP) / 3 from the same source and second, both above 0 and the result in
    range; `row` is then the row of the systolic value. Rows of one second with different values are all kept.
    """
    moment = ["csn", "source", "time_s"]
    measured = valid(numerics, "MAP").select(*moment, "row", "value")
    derived = _from_cuff(numerics, moment).join(measured, on=moment, how="anti")
    return pl.concat([measured, derived]).sort("csn", "time_s", "row")


def _from_cuff(numerics: pl.DataFrame, moment: list[str]) -> pl.DataFrame:
    positive = numerics.filter(pl.col("value") > 0)
    upper = positive.filter(pl.col("measure") == "SBP").select(*moment, "row", "value")
    lower = positive.filter(pl.col("measure") == "DBP").select(*moment, diastolic="value")
    mean = (pl.col("value").cast(pl.Float64) + 2 * pl.col("diastolic").cast(pl.Float64)) / 3
    pairs = upper.join(lower, on=moment).with_columns(mean.cast(numerics.schema["value"]).alias("value"))
    return pairs.drop("diastolic").filter(in_range(pl.col("value"), "MAP"))
