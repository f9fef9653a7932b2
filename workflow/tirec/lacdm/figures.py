"""Figures of LA-CDM, each from tables only: frontier, reliability, first tests, training."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.config.lacdm import CONDITIONS
from tirec.report.style import WIDTH, Look, applied, at_least, legend, looks, panel

VALIDATED = {
    "val_diagnosis_mean_accuracy": "mean accuracy",
    "val_diagnosis_cost": "USD per case",
    "val_hypothesis_ece": "calibration error",
    "val_hypothesis_hypothesis_accuracy": "hypothesis accuracy",
}
MOST_TESTS = 6
"""Tests that are named in the panel of first tests; the others are drawn together."""


def frontier(table: pl.DataFrame) -> Figure:
    """Mean accuracy against cost per case, a point per policy with both intervals."""
    with applied():
        figure = Figure(figsize=(WIDTH * 0.7, 3.4), layout="constrained")
        axes = figure.add_subplot()
        style = looks(table["policy"].to_list())
        for row in table.iter_rows(named=True):
            look = style[row["policy"]]
            spread: dict[str, Any] = {
                f"{axis}err": _spread(row, name) for axis, name in (("x", "cost"), ("y", "mean_accuracy"))
            }
            point: dict[str, Any] = {
                "color": look.colour,
                "marker": look.marker,
                "label": look.label,
                "linestyle": "none",
            }
            axes.errorbar(row["cost"], row["mean_accuracy"], **spread, **point, elinewidth=0.7)
        panel(axes, "Accuracy against cost", "USD per case", "mean accuracy")
        at_least(axes, 0.2)
        figure.legend(loc="outside right upper")
    return figure


def _spread(row: Mapping[str, float], name: str) -> list[list[float]]:
    return [[row[name] - row[f"{name}_low"]], [row[f"{name}_high"] - row[name]]]


def reliability(table: pl.DataFrame) -> Figure:
    """How often a hypothesis stated with a confidence was right; the area of a point is its number of turns."""
    models = table["model"].unique(maintain_order=True).to_list()
    with applied():
        figure = Figure(figsize=(WIDTH, 1.2 + 1.9 * -(-len(models) // 4)), layout="constrained")
        for place, model in enumerate(models):
            axes = figure.add_subplot(-(-len(models) // 4), 4, place + 1)
            rows = table.filter(pl.col("model") == model)
            axes.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
            size = rows["n"] / max(1, rows["n"].sum()) * 220
            points: dict[str, Any] = {"color": "#0072B2", "alpha": 0.8, "linewidth": 0, "clip_on": False}
            axes.scatter(rows["confidence"], rows["accuracy"], s=size, **points)
            axes.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05))
            panel(axes, model.partition(".seed")[0].replace("_", " "), "stated", "right" if place % 4 == 0 else "")
    return figure


def first_tests(table: pl.DataFrame, models: Sequence[str]) -> Figure:
    """The first test by suspected condition, a panel per model."""
    common = table.group_by("test").agg(pl.col("n").sum()).sort("n", "test", descending=[True, False])["test"]
    named = common.to_list()[:MOST_TESTS]
    with applied():
        figure = Figure(figsize=(WIDTH, 2.8), layout="constrained")
        style = looks(named)
        for place, model in enumerate(models):
            axes = figure.add_subplot(1, len(models), place + 1)
            _stacked(axes, table.filter(pl.col("model") == model), named, style)
            panel(axes, model.partition(".seed")[0].replace("_", " "), "", "share of cases" if place == 0 else "")
        legend(figure, figure.axes[0].get_legend_handles_labels()[0], "outside lower center")
    return figure


def _stacked(axes: Axes, rows: pl.DataFrame, named: Sequence[str], style: Mapping[str, Look]) -> None:
    bottom = dict.fromkeys(CONDITIONS, 0.0)
    for test in [*named, "others"]:
        of = ~pl.col("test").is_in(named) if test == "others" else pl.col("test") == test
        shares = dict(rows.filter(of).group_by("suspected").agg(pl.col("share").sum()).iter_rows())
        heights = [shares.get(name, 0.0) for name in CONDITIONS]
        colour = "0.8" if test == "others" else style[test].colour
        axes.bar(range(len(CONDITIONS)), heights, bottom=list(bottom.values()), color=colour, label=test, width=0.7)
        bottom = {name: bottom[name] + height for name, height in zip(CONDITIONS, heights, strict=True)}
    axes.set_xticks(range(len(CONDITIONS)), [name[:8] + "." for name in CONDITIONS])
    axes.set_ylim(0, 1)


def training(histories: Mapping[str, pl.DataFrame]) -> Figure:
    """Validation by optimizer step: accuracy, cost, calibration error, hypothesis accuracy."""
    with applied():
        figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
        style = looks(list(histories))
        for place, (column, label) in enumerate(VALIDATED.items()):
            axes = figure.add_subplot(2, 2, place + 1)
            for policy, history in histories.items():
                if column in history.columns:
                    rows = history.filter(pl.col(column).is_not_null())
                    look = style[policy]
                    drawn: dict[str, Any] = {
                        "color": look.colour,
                        "marker": look.marker,
                        "linestyle": look.line,
                        "markersize": 3,
                    }
                    axes.plot(rows["step"], rows[column], label=look.label, **drawn)
            panel(axes, label, "optimizer step", "validation")
        legend(figure, figure.axes[0].get_legend_handles_labels()[0], "outside lower center")
    return figure
