"""AUROC over a budget of feature groups, one panel for the mean of the tasks and one per task."""

from collections.abc import Callable, Sequence

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, at_least, legend, panel

HEIGHT = 2.9
SPAN = 0.2
"""Smallest range of an AUROC axis."""
BAND = 0.13
"""Opacity of an interval."""


def panels(table: pl.DataFrame, draw: Callable[[Axes, pl.DataFrame], None], x: str, note: str) -> Figure:
    """Draws each task's rows of `table` into a panel of its own; the legend is the first panel's."""
    with applied():
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        tasks = ["macro", *(task for task in table["task"].unique(maintain_order=True) if task != "macro")]
        for axes, task in zip(figure.subplots(1, len(tasks)), tasks, strict=True):
            draw(axes, table.filter(pl.col("task") == task))
            at_least(axes, SPAN)
            panel(axes, TASK_LABELS.get(task, task), x, "AUROC" if task == "macro" else "")
        handles, _ = figure.axes[0].get_legend_handles_labels()
        legend(figure, handles)
        figure.supxlabel(note, fontsize=6.5)
    return figure


def curve(axes: Axes, rows: pl.DataFrame, look: Look, label: str, line: str, *, hollow: bool = False) -> None:
    """One line over k; a hollow one is a control and has no band."""
    known = rows.drop_nulls("auroc").sort("k")
    axes.plot(
        known["k"],
        known["auroc"],
        color=look.colour,
        linestyle=line,
        marker=look.marker,
        markersize=3.6,
        markerfacecolor="white" if hollow else look.colour,
        label=label,
    )
    band = known.drop_nulls("auroc_low").filter(not hollow)
    axes.fill_between(band["k"], band["auroc_low"], band["auroc_high"], color=look.colour, alpha=BAND, linewidth=0)


def ticks(axes: Axes, budgets: Sequence[int]) -> None:
    """The budgets that were played."""
    axes.set_xticks(list(budgets))
