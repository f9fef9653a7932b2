"""How training went: validation without skills, what the agent asks for, and each part of the reward."""

from collections.abc import Mapping

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from tirec.config.cohort import TASKS
from tirec.report.style import TASK_LABELS, WIDTH, Look, applied, at_least, keys, legend, looks, panel

Histories = Mapping[str, list[pl.DataFrame]]
"""Per policy, the history of each training seed."""
PARTS = ("prediction", "match", "format", "execution")
SMOOTH_STEPS = 5
"""Training curves are running means over this many steps; validation is drawn as measured."""
SPAN = 0.2
"""Smallest range of a validation axis."""
_ROWS = {"auroc": "validation AUROC", "match_f1": "validation reference-set F1"}


def draw(histories: Histories) -> Figure:
    """Three rows: validation AUROC per task, reference-set F1 per task, the four parts of the training reward."""
    with applied():
        figure = Figure(figsize=(WIDTH, 6.6), layout="constrained")
        grid = figure.add_gridspec(3, 12)
        style = looks(list(histories))
        for row, (metric, label) in enumerate(_ROWS.items()):
            for column, task in enumerate(TASKS):
                axes = figure.add_subplot(grid[row, 4 * column : 4 * column + 4])
                _validation(axes, histories, style, f"val_{task}_{metric}")
                panel(axes, TASK_LABELS[task], y=label if column == 0 else "")
        for column, part in enumerate(PARTS):
            axes = figure.add_subplot(grid[2, 3 * column : 3 * column + 3])
            _reward(axes, histories, style, part)
            panel(axes, f"Reward: {part}", "optimizer step", "training mean" if column == 0 else "")
        shade = Patch(color="0.9", label="skills in the prompt (shaded)")
        legend(figure, [*keys(style), shade], "outside lower center")
    return figure


def _validation(axes: Axes, histories: Histories, style: Mapping[str, Look], column: str) -> None:
    for policy, seeds in histories.items():
        measured = [_defined(seed, column) for seed in seeds if column in seed.columns]
        _lines(axes, measured, column, style[policy], marked=True)
    at_least(axes, SPAN)


def _reward(axes: Axes, histories: Histories, style: Mapping[str, Look], part: str) -> None:
    column = f"reward_{part}"
    for policy, seeds in histories.items():
        measured = [_smoothed(seed, column) for seed in seeds if column in seed.columns]
        _lines(axes, measured, column, style[policy], marked=False)
    axes.set_ylim(0, 1)
    _shade_skills(axes, histories)


def _smoothed(history: pl.DataFrame, column: str) -> pl.DataFrame:
    smooth = pl.col(column).rolling_mean(SMOOTH_STEPS, min_samples=1)
    return _defined(history, column).with_columns(smooth)


def _defined(history: pl.DataFrame, column: str) -> pl.DataFrame:
    """The steps at which a column was measured and has a value."""
    return history.select("step", pl.col(column).cast(pl.Float64).fill_nan(None)).drop_nulls()


def _lines(axes: Axes, seeds: list[pl.DataFrame], column: str, look: Look, marked: bool) -> None:
    """A thick line for the mean over seeds, a thin one for each seed."""
    if not seeds or not any(seed.height for seed in seeds):
        return
    mean = pl.concat(seeds).group_by("step").agg(pl.col(column).mean()).sort("step")
    for seed in seeds if len(seeds) > 1 else ():
        axes.plot(seed["step"], seed[column], color=look.colour, linewidth=0.5, alpha=0.5)
    marker = look.marker if marked else ""
    axes.plot(mean["step"], mean[column], color=look.colour, linestyle=look.line, marker=marker, markersize=3.2)


def _shade_skills(axes: Axes, histories: Histories) -> None:
    """Grey where training prompts still carry skill sentences: rewards there are not those of the bare agent."""
    kept = [
        step
        for seeds in histories.values()
        for seed in seeds
        if "retention" in seed.columns
        for step in seed.filter(pl.col("retention") > 0)["step"]
    ]
    if kept:
        axes.axvspan(0, max(kept), color="0.95", zorder=0)
