"""The ablations as a forest plot: AUROC, average precision and F1 with their intervals."""

from dataclasses import dataclass

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, heading, looks, panel, percent

METRICS = {"auroc": "AUROC", "auprc": "AUPRC (average precision)", "f1": "F1 at the validation threshold"}
GAP = 1.2
"""Rows between two groups."""


def draw(table: pl.DataFrame, reference: str, confidence: float) -> Figure:
    """One panel per metric, one group of rows per task (their mean first), one row per policy.

    reference: the policy that the grey line stands for; confidence: coverage of the table's intervals.
    """
    with applied():
        policies = table["policy"].unique(maintain_order=True).to_list()
        tasks = ["macro", *(task for task in table["task"].unique(maintain_order=True) if task != "macro")]
        style = looks(policies)
        height = 0.9 + 0.17 * (len(policies) + GAP) * len(tasks)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        places = {task: group * (len(policies) + GAP) for group, task in enumerate(tasks)}
        for axes, (metric, label) in zip(figure.subplots(1, len(METRICS), sharey=True), METRICS.items(), strict=True):
            _metric(axes, _Rows(table, reference, metric), places, style)
            panel(axes, label)
            axes.grid(False, axis="y")
            axes.tick_params(axis="y", length=0)
        _name_rows(figure.axes[0], places, style)
        figure.supxlabel(_note(table, reference, confidence), fontsize=7)
    return figure


@dataclass(frozen=True)
class _Rows:
    """One metric of the table."""

    table: pl.DataFrame
    reference: str
    metric: str


def _metric(axes: Axes, shown: _Rows, places: dict[str, float], style: dict[str, Look]) -> None:
    for task, top in places.items():
        rows = shown.table.filter(pl.col("task") == task)
        reference = rows.filter(pl.col("policy") == shown.reference)[shown.metric].drop_nulls()
        bottom = top + len(style) - 1
        if len(reference):
            axes.plot([reference[0]] * 2, [top - 0.5, bottom + 0.5], color="0.8", linewidth=0.8, zorder=1)
        for offset, (policy, look) in enumerate(style.items()):
            _interval(axes, rows.filter(pl.col("policy") == policy), shown.metric, top + offset, look)


def _interval(axes: Axes, row: pl.DataFrame, metric: str, y: float, look: Look) -> None:
    """A point with its interval; a metric that is undefined leaves its row empty."""
    if row.is_empty() or row[metric][0] is None:
        return
    low, high = row[f"{metric}_low"][0], row[f"{metric}_high"][0]
    if low is not None:
        axes.plot([low, high], [y, y], color=look.colour, linewidth=1.2, solid_capstyle="butt", zorder=2)
    axes.plot(row[metric][0], y, color=look.colour, marker=look.marker, markersize=4.5, linestyle="", zorder=3)


def _name_rows(axes: Axes, places: dict[str, float], style: dict[str, Look]) -> None:
    ticks = [top + offset for top in places.values() for offset in range(len(style))]
    axes.set_yticks(ticks, [look.label for _ in places for look in style.values()])
    for task, top in places.items():
        heading(axes, TASK_LABELS.get(task, task), top - 0.75)
    axes.set_ylim(max(ticks) + 0.7, -1.3)


def _note(table: pl.DataFrame, reference: str, confidence: float) -> str:
    seeds = table.filter(pl.col("policy") == reference)["seeds"].drop_nulls()
    trained = int(seeds[0]) if len(seeds) else 1
    spread = "one training seed: variance between trainings unknown" if trained == 1 else f"{trained} training seeds"
    bars = f"{percent(confidence)} interval over patients ({spread})"
    return f"Test cases, mean over settings; bars: {bars}; grey line: {reference}"
