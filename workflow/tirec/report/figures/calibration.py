"""Calibration: the observed share of positives against the predicted p, as answered and recalibrated."""

from collections.abc import Mapping

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.config.cohort import TASKS
from tirec.evaluation.curves import ANSWERED, RECALIBRATED
from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, keys, legend, looks, panel, percent

KINDS = {ANSWERED: "p as answered", RECALIBRATED: "p recalibrated on validation half B"}


def draw(tables: Mapping[str, pl.DataFrame], confidence: float) -> Figure:
    """Two rows (as answered, recalibrated), a column per task, a curve per policy. tables: by policy."""
    with applied():
        figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
        style = looks(list(tables))
        axes = figure.subplots(2, len(TASKS), sharex="col", sharey="col")
        for row, (kind, name) in enumerate(KINDS.items()):
            for column, task in enumerate(TASKS):
                own = {policy: _points(table, task, kind) for policy, table in tables.items()}
                _panel(axes[row, column], own, style)
                _limits(axes[row, column], [table.filter(pl.col("task") == task) for table in tables.values()])
                title = TASK_LABELS[task] if row == 0 else ""
                panel(axes[row, column], title, _x(row), f"{name}\nobserved share" if column == 0 else "")
        legend(figure, keys(style))
        figure.supxlabel(_note(confidence), fontsize=7)
    return figure


def _x(row: int) -> str:
    return "predicted p (mean of the group)" if row else ""


def _points(table: pl.DataFrame, task: str, kind: str) -> pl.DataFrame:
    return table.filter((pl.col("task") == task) & (pl.col("p_kind") == kind)).sort("bin")


def _panel(axes: Axes, own: Mapping[str, pl.DataFrame], style: Mapping[str, Look]) -> None:
    axes.axline((0, 0), slope=1, color="0.7", linewidth=0.8, zorder=1)
    for policy, points in own.items():
        look = style[policy]
        low, high = points["observed"] - points["ci_low"], points["ci_high"] - points["observed"]
        axes.errorbar(
            points["p_mean"],
            points["observed"],
            yerr=[low.clip(0), high.clip(0)],
            color=look.colour,
            marker=look.marker,
            linestyle=look.line,
            markersize=4,
            linewidth=1.1,
            elinewidth=0.7,
        )
    _errors(axes, own, style)


def _limits(axes: Axes, tables: list[pl.DataFrame]) -> None:
    """One square for both kinds of p of a task, so that the diagonal stays one."""
    reached = [value for table in tables for name in ("p_mean", "ci_high") for value in table[name].drop_nulls()]
    top = min(1.0, 1.05 * max([0.1, *reached]))
    axes.set_xlim(0, top)
    axes.set_ylim(0, top)


def _errors(axes: Axes, own: Mapping[str, pl.DataFrame], style: Mapping[str, Look]) -> None:
    """Smooth ECE of each policy, in its colour, above the diagonal."""
    for line, (policy, points) in enumerate([("", None), *own.items()]):
        text, colour = "smooth ECE", "0.3"
        if points is not None:
            if points.is_empty():
                continue
            text, colour = f"{points['smooth_ece'][0]:.3f}", style[policy].colour
        place = (0.04, 0.95 - 0.085 * line)
        axes.annotate(text, place, xycoords="axes fraction", color=colour, fontsize=7, va="top")


def _note(confidence: float) -> str:
    return (
        "Test cases, settings pooled, in up to ten groups of equal size by p; bars: "
        f"{percent(confidence)} interval over patients; grey line: perfect agreement"
    )
