"""Does a model ask for what it can use: request rate over the benefit of each group, base, trained, and change."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.report.group_names import SHORT
from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, looks, panel

ROW = 2.25
"""Height of a row of panels in inches."""
PANEL_WIDTH, PANEL_HEIGHT = 125.0, 105.0
"""About the size of a panel in points, for keeping names apart."""
LETTER, LINE = 3.4, 6.5
"""About the size of a letter of a name in points."""
_HEIGHTS = (7, -7, 14, -14, 21, -21, 28, -28)
"""Where a name may stand above or below its point, in points; the nearest first."""


def draw(values: pl.DataFrame, correlations: pl.DataFrame) -> Figure:
    """One row per task, one column per policy and change; points are the ten groups."""
    with applied():
        policies = values["policy"].unique(maintain_order=True).to_list()
        policies.sort(key=lambda name: (name.endswith("change"), name != "base"))
        tasks = [task for task in values["task"].unique(maintain_order=True) if task != "macro"]
        style = looks([name.removesuffix(" change") for name in policies])
        figure = Figure(figsize=(WIDTH, ROW * len(tasks) + 0.4), layout="constrained")
        grid = figure.subplots(len(tasks), len(policies), squeeze=False)
        for task, row in zip(tasks, grid, strict=True):
            for policy, axes in zip(policies, row, strict=True):
                look = style[policy.removesuffix(" change")]
                own = (pl.col("task") == task) & (pl.col("policy") == policy)
                _panel(axes, values.filter(own), look)
                _titled(axes, task, policy, look, correlations.filter(own))
        figure.supxlabel(_note(), fontsize=6.5)
    return figure


def _panel(axes: Axes, rows: pl.DataFrame, look: Look) -> None:
    known = rows.drop_nulls(["benefit", "request_rate"])
    for row in known.iter_rows(named=True):
        for name, along in (("benefit", True), ("request_rate", False)):
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            if low is not None:
                ends = ([low, high], [row["request_rate"]] * 2) if along else ([row["benefit"]] * 2, [low, high])
                axes.plot(*ends, color=look.colour, linewidth=0.6, alpha=0.45, zorder=1)
    axes.plot(known["benefit"], known["request_rate"], look.marker, color=look.colour, markersize=3.6, zorder=2)
    axes.axvline(0, color="0.7", linewidth=0.7, zorder=0)
    axes.margins(x=0.16, y=0.36)
    axes.locator_params(axis="x", nbins=4)  # more labels would run into each other
    _label(axes, known)


def _label(axes: Axes, rows: pl.DataFrame) -> None:
    """Names above or below the points, each at the height where it covers the least of other names and points."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    at = [
        (PANEL_WIDTH * (x - left) / (right - left), PANEL_HEIGHT * (y - bottom) / (top - bottom), SHORT[group])
        for x, y, group in rows.select("benefit", "request_rate", "group").iter_rows()
    ]
    taken = [(x, y, 1) for x, y, _ in at]
    for x, y, name in sorted(at):
        height = min(_HEIGHTS, key=lambda up: (_covered(x, y + up, len(name), taken), abs(up)))
        taken.append((x, y + height, len(name)))
        axes.annotate(
            name,
            (x / PANEL_WIDTH, y / PANEL_HEIGHT),
            xycoords="axes fraction",
            xytext=(0, height),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=6,
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": "0.5", "shrinkA": 0, "shrinkB": 2},
        )


def _covered(x: float, y: float, letters: int, taken: list[tuple[float, float, int]]) -> float:
    """How much of what is taken a name of so many letters would cover at a place; outside of the panel counts more."""
    outside = max(0.0, LINE - y) + max(0.0, y + LINE - PANEL_HEIGHT)
    near = (
        max(0.0, LETTER * (letters + other) / 2 - abs(x - a)) * max(0.0, LINE - abs(y - b)) for a, b, other in taken
    )
    return round(sum(near) + 50 * outside, 6)


def _titled(axes: Axes, task: str, policy: str, look: Look, correlation: pl.DataFrame) -> None:
    change = policy.endswith("change")
    name = f"{look.label} - base" if change else look.label
    row = correlation.row(0, named=True) if len(correlation) else {"rho": None}
    shown = "rank correlation undefined" if row["rho"] is None else f"ρ = {row['rho']:.2f}"
    if row["rho"] is not None and row["rho_low"] is not None:
        shown += f" [{row['rho_low']:.2f}, {row['rho_high']:.2f}]"
    panel(axes, f"{TASK_LABELS.get(task, task)}, {name}\n{shown}", *_axis_words(change))
    axes.title.set_fontsize(7)


def _axis_words(change: bool) -> tuple[str, str]:
    return ("change of benefit", "change of request rate") if change else ("benefit (fall of loss)", "request rate")


def _note() -> str:
    return (
        "Benefit: mean loss without the group minus with it, beside the same number of other random groups; request "
        "rate: share of cases under the stated budget.\nBars: 95 % intervals over patients; ρ: Spearman over the "
        "ten groups, descriptive."
    )
