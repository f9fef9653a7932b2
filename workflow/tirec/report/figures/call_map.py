"""Who asks for what, patient by patient: calls of the policies beside the tree teacher's contributions."""

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from tirec.config.cohort import TASKS
from tirec.evidence.menu import MENU
from tirec.report.group_names import SHORT
from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, legend, looks, panel

HEIGHT = 7.4
HATCH = "////"


def draw(table: pl.DataFrame) -> Figure:
    """One row of panels per task, one column per model; a line per patient, the same patient across a row."""
    with applied():
        models = sorted(table["model"].unique(), key=lambda name: (name == "teacher", name.startswith("base"), name))
        named = {model: model.rpartition(".seed")[0] or model for model in models}
        style = looks(list(named.values()))
        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        grid = figure.subplots(len(TASKS), len(models), sharex=True, squeeze=False)
        for row, task in zip(grid, TASKS, strict=True):
            for axes, model in zip(row, models, strict=True):
                look = style[named[model]]
                own = table.filter((pl.col("task") == task) & (pl.col("model") == model))
                _map(axes, own, look)
                panel(axes, f"{TASK_LABELS[task]}: {look.label}", y="patients" if model == models[0] else "")
        _legend(figure, [style[named[model]] for model in models])
    return figure


def _map(axes: Axes, rows: pl.DataFrame, look: Look) -> None:
    """Columns in the menu's order; what a model cannot see is hatched."""
    wide = rows.pivot("function", index="patient", values="value").sort("patient")
    values = np.full((wide.height, len(MENU)), np.nan)
    for place, name in enumerate(MENU):
        if name in wide.columns:
            values[:, place] = wide[name].to_numpy()
        else:
            axes.add_patch(
                Rectangle((place - 0.5, -0.5), 1, wide.height, fill=False, hatch=HATCH, edgecolor="0.7", linewidth=0)
            )
    shades = LinearSegmentedColormap.from_list(look.label, ["#F7F7F7", _solid(look)])
    axes.imshow(values, aspect="auto", interpolation="nearest", cmap=shades, vmin=0, vmax=1)
    axes.set_xticks(range(len(MENU)), [SHORT[name] for name in MENU], rotation=90, fontsize=6)
    axes.set_yticks([])
    axes.grid(False)
    axes.axvline(11.5, color="0.3", linewidth=0.7)


def _solid(look: Look) -> str:
    return "0.15" if look.colour == "0.45" else look.colour


def _legend(figure: Figure, found: list[Look]) -> None:
    calling = [
        Patch(facecolor=_solid(look), label=f"{look.label}: called") for look in found if look.label != "tree teacher"
    ]
    tree = [
        Patch(facecolor="0.4", label="tree: the darker, the larger its share of the patient's contributions"),
        Patch(facecolor="white", edgecolor="0.7", hatch=HATCH, label="text: the tree cannot see it"),
    ]
    legend(figure, [*calling, *tree], "outside lower center")
