"""Does a model read: change of p when one observation says something else, per function and model."""

from dataclasses import replace

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.config.cohort import TASKS
from tirec.evidence.menu import REWARDABLE
from tirec.report.group_names import SHORT
from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, keys, legend, looks, panel

EDITS = {
    "critical": ("change", "mean change of p,\none normal value → critical"),
    "normal": ("change", "mean change of p,\none abnormal value → normal"),
    "exchange": ("size", "mean absolute change of p,\nanother patient's text"),
}
"""Edit: measure that is drawn, and its words."""
STEP = 0.22
"""Vertical distance between two models."""


def draw(table: pl.DataFrame) -> Figure:
    """One row of panels per edit, one column per task; a line per function, a marker per model."""
    with applied():
        style = looks(table["policy"].unique(maintain_order=True).to_list())
        functions = {edit: _functions(table, edit) for edit in EDITS}
        heights = [0.9 + len(names) for names in functions.values()]
        figure = Figure(figsize=(WIDTH, 0.19 * sum(heights) + 2.2), layout="constrained")
        grid = figure.subplots(len(EDITS), len(TASKS), sharey="row", height_ratios=heights)
        for row, (edit, (measure, label)) in zip(grid, EDITS.items(), strict=True):
            for axes, task in zip(row, TASKS, strict=True):
                own = table.filter((pl.col("task") == task) & (pl.col("edit") == edit))
                _panel(axes, own, measure, functions[edit], style)
                panel(axes, TASK_LABELS[task], label)
        _legend(figure, style)
        figure.supxlabel(
            "Sampled test cases, all ten groups shown, one of them altered; bars: 95 % intervals over patients. "
            "No bar: no case could be edited so.",
            fontsize=6.5,
        )
    return figure


def _functions(table: pl.DataFrame, edit: str) -> list[str]:
    edited = set(table.filter(pl.col("edit") == edit)["function"])
    return [name for name in REWARDABLE if name in edited]


def _panel(axes: Axes, rows: pl.DataFrame, measure: str, functions: list[str], style: dict[str, Look]) -> None:
    for offset, (policy, look) in enumerate(style.items()):
        shift = (offset - (len(style) - 1) / 2) * STEP
        for row in rows.filter(pl.col("policy") == policy).iter_rows(named=True):
            y = functions.index(row["function"]) + shift
            low, high = row[f"{measure}_low"], row[f"{measure}_high"]
            if low is not None:
                axes.plot([low, high], [y, y], color=look.colour, linewidth=1.0)
            if row[measure] is not None:
                axes.plot(row[measure], y, look.marker, color=look.colour, markersize=3.6)
    axes.axvline(0, color="0.5", linewidth=0.7, zorder=0)
    axes.set_yticks(range(len(functions)), [SHORT[name] for name in functions])
    axes.set_ylim(len(functions) - 0.4, -0.6)
    axes.grid(False, axis="y")


def _legend(figure: Figure, style: dict[str, Look]) -> None:
    solid = {policy: replace(look, line="-") for policy, look in style.items()}
    legend(figure, keys(solid))
