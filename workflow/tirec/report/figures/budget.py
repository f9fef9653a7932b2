"""What choosing is worth: groups of the model's own choice against as many drawn at random."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.report.figures.curves import curve, panels, ticks
from tirec.report.style import looks


def draw(table: pl.DataFrame) -> Figure:
    """One panel per task: own and random arm of every policy over k, and each policy without a restriction."""
    style = looks(table["policy"].unique(maintain_order=True).to_list())

    def drawn(axes: Axes, rows: pl.DataFrame) -> None:
        # Arm by arm, so that the legend has a column for each.
        for policy, look in style.items():
            curve(axes, _arm(rows, policy, "own"), look, f"{look.label}: own choice", "-")
        for policy, look in style.items():
            curve(axes, _arm(rows, policy, "random"), look, f"{look.label}: random", "--", hollow=True)
        for policy, look in style.items():
            whole = _arm(rows, policy, "full").drop_nulls("auroc")
            if len(whole):
                label = f"{look.label}: all 18 functions, up to {whole['k'][0]} calls"
                axes.axhline(whole["auroc"][0], color=look.colour, linestyle=":", linewidth=1.1, label=label)
        ticks(axes, table.filter(pl.col("arm") == "own")["k"].unique().sort().to_list())

    return panels(table, drawn, "groups k", _note(table))


def _arm(rows: pl.DataFrame, policy: str, arm: str) -> pl.DataFrame:
    return rows.filter((pl.col("policy") == policy) & (pl.col("arm") == arm))


def _note(table: pl.DataFrame) -> str:
    macro = table.filter(pl.col("task") == "macro")
    n = macro["n"][0] if len(macro) else 0
    return (
        f"{n:,} sampled test cases, settings pooled within a task; own: up to k groups, random: exactly k, "
        "mean of draws; bands: 95 % interval over patients (own choice)"
    )
