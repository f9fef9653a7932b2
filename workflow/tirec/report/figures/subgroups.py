"""Subgroups: how far one model's quality in a group of patients lies from its quality in everyone."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.config.cohort import TASKS
from tirec.report.style import TASK_COLOURS, TASK_LABELS, WIDTH, applied, heading, panel, percent

GAPS = {
    "auroc": ("AUROC", "worse ← gap → better"),
    "calibration_in_the_large": ("Mean p − observed share", "lower p ← gap → higher p"),
    "false_negative_rate": ("False-negative rate", "fewer ← gap → more"),
}
NAMES = {
    "sex": "Sex",
    "age": "Age (years)",
    "race": "Race",
    "ethnicity": "Ethnicity",
    "arrival": "Arrival",
    "acuity": "Triage acuity",
    "monitor": "Monitor data by the cutoff",
}
SHORT = {
    "Native Hawaiian or Other Pacific Islander": "Native Hawaiian, Pacific Isl.",
    "American Indian or Alaska Native": "American Indian, Alaska N.",
}
ROW, DODGE = 0.22, 0.26
"""Inches per level; rows between two tasks of one level."""


def draw(table: pl.DataFrame, policy: str, confidence: float) -> Figure:
    """A panel per metric, a row per group, a marker per task; filled where the interval of the gap excludes 0."""
    groups = table.filter(pl.col("attribute").is_in(list(NAMES)))
    levels = groups.select("attribute", "level").unique(maintain_order=True).rows()
    with applied():
        places = _places(levels)
        figure = Figure(figsize=(WIDTH, 1.2 + ROW * (max(places.values()) + 1)), layout="constrained")
        for axes, (metric, (title, x)) in zip(figure.subplots(1, len(GAPS), sharey=True), GAPS.items(), strict=True):
            axes.axvline(0, color="0.6", linewidth=0.8, zorder=1)
            _metric(axes, groups.filter(pl.col("metric") == metric), places)
            panel(axes, title, x)
            axes.grid(False, axis="y")
            axes.tick_params(axis="y", length=0)
        _name_rows(figure.axes[0], places)
        _legend(figure)
        figure.supxlabel(_note(policy, confidence), fontsize=7)
    return figure


def _places(levels: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """The row of each level; a blank row and a heading before each attribute."""
    found: dict[tuple[str, str], float] = {}
    row, seen = 0.0, ""
    for attribute, level in levels:
        row += 1.2 if attribute != seen else 0
        seen = attribute
        found[attribute, level] = row
        row += 1
    return found


def _metric(axes: Axes, rows: pl.DataFrame, places: dict[tuple[str, str], float]) -> None:
    for row in rows.iter_rows(named=True):
        y = places[row["attribute"], row["level"]] + DODGE * (TASKS.index(row["task"]) - 1)
        colour, marker = TASK_COLOURS[row["task"]]
        if row["gap"] is None:
            axes.plot(
                0.03, y, transform=axes.get_yaxis_transform(), marker="x", markersize=2.6, color=colour, alpha=0.7
            )
            continue
        sure = row["gap_low"] is not None and (row["gap_low"] > 0 or row["gap_high"] < 0)
        if row["gap_low"] is not None:
            axes.plot([row["gap_low"], row["gap_high"]], [y, y], color=colour, linewidth=1, solid_capstyle="butt")
        face = colour if sure else "white"
        axes.plot(row["gap"], y, marker=marker, markersize=4, color=colour, markerfacecolor=face, linestyle="")


def _name_rows(axes: Axes, places: dict[tuple[str, str], float]) -> None:
    axes.set_yticks(list(places.values()), [SHORT.get(level, level) for _, level in places])
    first = {attribute: min(y for (own, _), y in places.items() if own == attribute) for attribute, _ in places}
    for attribute, top in first.items():
        heading(axes, NAMES[attribute], top - 0.85)
    axes.set_ylim(max(places.values()) + 0.7, -0.2)


def _legend(figure: Figure) -> None:
    handles = [
        figure.axes[0].plot([], [], marker=marker, color=colour, linewidth=1, markersize=4, label=TASK_LABELS[task])[0]
        for task, (colour, marker) in TASK_COLOURS.items()
    ]
    absent = figure.axes[0].plot([], [], marker="x", color="0.4", linestyle="", markersize=4, label="not shown")[0]
    figure.legend(handles=[*handles, absent], loc="outside upper center", ncols=len(handles) + 1)


def _note(policy: str, confidence: float) -> str:
    return (
        f"{policy}: gap to everyone on the same test cases, settings pooled; bars: {percent(confidence)} interval over "
        "patients, paired;\nfilled: the interval excludes 0 (not adjusted for the number of groups); "
        "not shown: fewer than 11 patients in a cell, or one class"
    )
