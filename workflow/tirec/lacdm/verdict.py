"""Whether a demo of LA-CDM did what it must, with the interval that says how sure that is; and its table as text."""

from collections.abc import Mapping

import polars as pl

from tirec.report.tables import number, text_table, with_interval
from tirec.report.verdict import Finding

SHOWN = {"mean_accuracy": "mean accuracy", "cost": "USD", "ece": "ECE", "hypothesis_accuracy": "hypothesis accuracy"}
Row = Mapping[str, float | None]


def judge_demo(table: pl.DataFrame) -> list[Finding]:
    """Training beats the untrained base on mean accuracy and on calibration, and the cost reward saves money."""
    return [
        compared(table, "zero_shot", "mean_accuracy", better=-1, said="full - zero_shot, mean accuracy"),
        compared(table, "zero_shot", "ece", better=1, said="full - zero_shot, calibration error"),
        compared(table, "no_cost", "cost", better=1, said="full - no_cost, USD per case"),
    ]


def compared(table: pl.DataFrame, policy: str, metric: str, better: int, said: str) -> Finding:
    """The reference's difference to `policy` in a metric; it holds where `policy` has more (1) or less (-1) of it.

    It fails no demo: 240 cases and one seed leave room for chance. A table that cannot answer does.
    """
    row = _row(table, policy)
    if row is None or row[f"{metric}_diff"] is None:
        return Finding(False, f"{said}: one of the two is missing or undefined")
    difference = 0.0 - float(row[f"{metric}_diff"] or 0)
    low, high = (0.0 - float(row[f"{metric}_diff_{end}"] or 0) for end in ("high", "low"))
    sure = "not separable from zero" if low <= 0 <= high else "separable from zero"
    digits = 0 if metric == "cost" else 3
    told = f"{said}: {difference:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}], {sure}"
    return Finding(difference * better < 0, told, required=False)


def _row(table: pl.DataFrame, policy: str) -> Row | None:
    rows = table.filter(pl.col("policy") == policy)
    return rows.row(0, named=True) if rows.height else None


def summary(table: pl.DataFrame) -> str:
    """A line per policy: accuracy, cost and calibration with intervals, tests per case, undiagnosed, seeds."""
    header = ["policy", *SHOWN.values(), "tests", "undiagnosed", "seeds"]
    rows = []
    for row in table.iter_rows(named=True):
        values = [_value(row, name) for name in SHOWN]
        ends = [number(row["tests"], 1), number(row["undiagnosed"], 2)]
        rows.append([str(row["policy"]), *values, *ends, "-" if row["seeds"] is None else str(row["seeds"])])
    return text_table(header, rows)


def _value(row: dict[str, float | None], name: str) -> str:
    if row[name] is None:
        return "-"
    if name != "cost":
        return with_interval(row, name)
    return f"{row[name]:.0f} [{row[f'{name}_low']:.0f}, {row[f'{name}_high']:.0f}]"
