"""Statistics of each case's readings of one measure, by numpy over sorted segments.

One segment is one case's readings, oldest first. A statistic depends on its own segment alone, bit for bit: no other
case, chunk or thread count changes the order of a sum.
"""

import numpy as np
import polars as pl

SHORTEST_SLOPE_S = 300
"""Readings must span this many seconds before a slope is fitted: two neighbouring minutes say nothing per hour."""

Array = np.ndarray


def starts(ids: Array) -> Array:
    """Index of the first row of each run of equal ids; ids (N,), result (cases,)."""
    if len(ids) == 0:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))


def statistics(rows: pl.DataFrame, low: float, high: float) -> pl.DataFrame:
    """One row per case of `rows` (evidence_id, row, value, before_s; sorted, oldest first).

    Columns: last, first, min, max, mean, sd (value's unit), slope (per hour), change (fitted, over all readings),
    count, since_min, share_abnormal (outside [low, high]); row_last, row_first, row_min, row_max: source rows.
    """
    ids = rows["evidence_id"].to_numpy()
    value = rows["value"].to_numpy().astype(np.float64)
    before = rows["before_s"].to_numpy().astype(np.float64)
    first = starts(ids)
    if len(first) == 0:
        return pl.DataFrame(schema=_SCHEMA)
    count = np.diff(np.append(first, len(ids)))
    last = first + count - 1
    mean = np.add.reduceat(value, first) / count
    spread = value - np.repeat(mean, count)
    slope = _slope(spread, before, first, count)
    span_h = (before[first] - before[last]) / 3600
    lowest, highest = _first_where(value, first, count, np.minimum), _first_where(value, first, count, np.maximum)
    source = rows["row"].to_numpy()
    return pl.DataFrame(
        {
            "evidence_id": ids[first],
            "last": value[last],
            "first": value[first],
            "min": value[lowest],
            "max": value[highest],
            "mean": mean,
            "sd": np.sqrt(np.add.reduceat(spread**2, first) / count),
            "slope": slope,
            "change": slope * span_h,
            "count": count,
            "since_min": before[last] / 60,
            "share_abnormal": np.add.reduceat(((value < low) | (value > high)).astype(np.float64), first) / count,
            "row_last": source[last],
            "row_first": source[first],
            "row_min": source[lowest],
            "row_max": source[highest],
        },
        schema=_SCHEMA,
    )


_SCHEMA = (
    {"evidence_id": pl.Int64}
    | dict.fromkeys(("last", "first", "min", "max", "mean", "sd", "slope", "change"), pl.Float64)
    | {"count": pl.Int64, "since_min": pl.Float64, "share_abnormal": pl.Float64}
    | dict.fromkeys(("row_last", "row_first", "row_min", "row_max"), pl.Int64)
)


def _slope(spread: Array, before: Array, first: Array, count: Array) -> Array:
    """Least-squares slope per hour of each segment; NaN where the readings span too little time."""
    hours = -before / 3600
    centred = hours - np.repeat(np.add.reduceat(hours, first) / count, count)
    span_s = before[first] - before[first + count - 1]
    over = np.add.reduceat(centred**2, first)
    fitted = np.add.reduceat(centred * spread, first) / np.where(over > 0, over, 1.0)
    return np.where((span_s >= SHORTEST_SLOPE_S) & (over > 0), fitted, np.nan)


def _first_where(value: Array, first: Array, count: Array, extreme: np.ufunc) -> Array:
    """Index of the first reading that equals each segment's extreme value."""
    reached = np.flatnonzero(value == np.repeat(extreme.reduceat(value, first), count))
    segment = np.searchsorted(first, reached, side="right") - 1
    return reached[starts(segment)]
