"""Accuracy against calls: where a model stands when nothing limits it but the protocol."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tirec.report.figures.curves import panels
from tirec.report.style import Look, looks


def draw(table: pl.DataFrame) -> Figure:
    """One panel per task: AUROC over calls per case; models that make no call are lines across."""
    named = table.with_columns(policy=pl.col("model").str.replace(r"\.seed\d+$", ""))
    style = looks(named["policy"].unique(maintain_order=True).to_list())

    most = max([1.0, *named["calls"].drop_nulls()])

    def drawn(axes: Axes, rows: pl.DataFrame) -> None:
        seen: set[str] = set()
        for row in rows.drop_nulls("auroc").iter_rows(named=True):
            look = style[row["policy"]]
            label = "" if row["policy"] in seen else look.label
            seen.add(row["policy"])
            _model(axes, row, look, label)
        axes.set_xlim(0, 1.08 * most)

    note = (
        "All test cases, mean over settings; bars: 95 % intervals over patients. Lines across: models that "
        "make no call and see every column."
    )
    return panels(named, drawn, "calls per case", note)


def _model(axes: Axes, row: dict[str, float], look: Look, label: str) -> None:
    if row["calls"] is None:
        axes.plot(
            (0, 0.96, 1),  # of the panel's width; a marker near the right end tells lines of one colour apart
            [row["auroc"]] * 3,
            look.marker,
            markevery=[1],
            markersize=3.5,
            transform=axes.get_yaxis_transform(),
            color=look.colour,
            linestyle=look.line,
            linewidth=0.9,
            label=label or None,
        )
        return
    axes.errorbar(
        row["calls"],
        row["auroc"],
        xerr=_reach(row, "calls"),
        yerr=_reach(row, "auroc"),
        fmt=look.marker,
        color=look.colour,
        markersize=5,
        elinewidth=0.9,
        label=label or None,
    )


def _reach(row: dict[str, float], name: str) -> list[list[float]] | None:
    """Distances to the ends of an interval, as error bars want them; None where there is no interval."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is None or high is None:
        return None
    return [[max(0.0, row[name] - low)], [max(0.0, high - row[name])]]
