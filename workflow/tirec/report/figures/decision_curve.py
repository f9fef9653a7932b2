"""Decision curves: net benefit of acting on p at or above a threshold, beside acting on everyone and on nobody."""

from collections.abc import Mapping
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.config.cohort import TASKS
from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, keys, legend, looks, panel, percent

MARK_EVERY = 10
"""Points of a curve between two markers."""
BELOW = 0.15
"""How far below 0 a panel reaches, as a share of its top."""


def draw(tables: Mapping[str, pl.DataFrame], confidence: float) -> Figure:
    """A panel per task, a curve per policy with its interval. tables: by policy."""
    with applied():
        figure = Figure(figsize=(WIDTH, 3.0), layout="constrained")
        style = looks(list(tables))
        for column, (task, axes) in enumerate(zip(TASKS, figure.subplots(1, len(TASKS)), strict=True)):
            _panel(axes, {policy: table.filter(pl.col("task") == task) for policy, table in tables.items()}, style)
            panel(axes, TASK_LABELS[task], "threshold probability", "net benefit (per case)" if column == 0 else "")
        legend(figure, keys(style))
        figure.supxlabel(_note(confidence), fontsize=7)
    return figure


def _panel(axes: Axes, curves: Mapping[str, pl.DataFrame], style: Mapping[str, Look]) -> None:
    first = next(iter(curves.values()))
    axes.plot(first["threshold"], first["flag_everyone"], color="0.55", linewidth=1, linestyle=(0, (4, 2)))
    axes.axhline(0, color="0.55", linewidth=1)
    for number, (policy, curve) in enumerate(curves.items()):
        look = style[policy]
        axes.fill_between(curve["threshold"], curve["ci_low"], curve["ci_high"], color=look.colour, alpha=0.12, lw=0)
        spots = (3 * number, MARK_EVERY)
        line: dict[str, Any] = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "markersize": 4}
        axes.plot(curve["threshold"], curve["net_benefit"], markevery=spots, **line)
    highest = [value for curve in curves.values() for value in curve["ci_high"].drop_nulls()]
    top = max([0.01, *highest, *first["flag_everyone"]])
    axes.set_ylim(-BELOW * top, 1.05 * top)
    axes.set_xlim(0, first["threshold"].to_numpy().max())
    _name(axes, first, top)


def _name(axes: Axes, curve: pl.DataFrame, top: float) -> None:
    """Says on the spot what the two grey lines are."""
    end = curve["threshold"].to_numpy().max()
    axes.annotate("act on nobody", (0.03 * end, -0.02 * top), va="top", fontsize=7, color="0.4")
    crossing = curve.filter(pl.col("flag_everyone") > 0.55 * top)
    if crossing.height:
        spot = (crossing["threshold"][-1], crossing["flag_everyone"][-1])
        axes.annotate(
            "act on everyone",
            spot,
            xytext=(0.98, 0.9),
            textcoords="axes fraction",
            ha="right",
            fontsize=7,
            color="0.4",
            arrowprops={"arrowstyle": "-", "color": "0.6", "linewidth": 0.6},
        )


def _note(confidence: float) -> str:
    return (
        "Test cases, settings pooled, p as answered (not recalibrated); "
        f"bands: {percent(confidence)} interval over patients"
    )
