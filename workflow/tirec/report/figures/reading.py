"""What reading is worth: every model on the same random groups of the same patients."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.report.figures.curves import curve, panels, ticks
from tirec.report.style import looks


def draw(table: pl.DataFrame) -> Figure:
    """One panel per task, one line per model over k."""
    style = looks(table["policy"].unique(maintain_order=True).to_list())

    def drawn(axes: Axes, rows: pl.DataFrame) -> None:
        for policy, look in style.items():
            curve(axes, rows.filter(pl.col("policy") == policy), look, look.label, look.line)
        ticks(axes, table["k"].unique().sort().to_list())

    n = table.filter(pl.col("task") == "macro")["n"][0]
    note = (
        f"{n:,} sampled test cases, settings pooled within a task; the same k random groups for every "
        "model, mean of draws; bands: 95 % interval over patients.\nModels of columns see the other columns as "
        "missing, which they were not in training."
    )
    return panels(table, drawn, "random groups k", note)
