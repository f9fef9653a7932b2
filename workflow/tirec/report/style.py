"""One look for every figure: sizes for print, colours that colour-blind readers tell apart, a marker beside each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tirec.provenance import atomic

WIDTH = 7.2
"""Inches: two columns of a journal page."""
PAGE_SHARE = 0.98
"""Share of the page's width that a legend may take."""
Line = Literal["-", "--", "-.", ":"]
Place = Literal["outside upper center", "outside lower center"]
_FORMATS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}


@dataclass(frozen=True)
class Look:
    """How one policy is drawn everywhere."""

    label: str
    colour: str
    marker: str
    line: Line


# Okabe and Ito's palette; line styles and markers carry the difference where colour is lost
_NAMED = {
    "full": Look("full", "#0072B2", "o", "-"),
    "no_match": Look("no match reward", "#E69F00", "s", "--"),
    "no_skills": Look("no skills", "#009E73", "^", "-."),
    "no_gbm_target": Look("no teacher target", "#CC79A7", "D", ":"),
    "base": Look("base", "0.45", "v", "-"),
    "teacher": Look("tree teacher", "black", "*", "-"),
}
_OTHERS: tuple[tuple[str, Line], ...] = (("#D55E00", "--"), ("#56B4E9", "-."), ("#B8A800", ":"), ("#7B3294", "-"))
_MARKERS = "PX<>hpd"
"""Seven, so that with four colours no pair comes again before the 29th policy without a look of its own."""
TASK_LABELS = {
    "disposition": "Disposition",
    "decompensation": "Decompensation",
    "revisit": "Revisit",
    "macro": "Mean of tasks",
}


TASK_COLOURS = {"disposition": ("#0072B2", "o"), "decompensation": ("#D55E00", "s"), "revisit": ("#009E73", "^")}
"""Colour and marker of each task, where a figure tells tasks apart."""


def looks(policies: list[str]) -> dict[str, Look]:
    """A look for each policy; those without one of their own take the next free pair of colour and
    marker, in the order given."""
    found: dict[str, Look] = {}
    for policy in policies:
        place = sum(name not in _NAMED for name in found)
        colour, line = _OTHERS[place % len(_OTHERS)]
        other = Look(policy.replace("_", " "), colour, _MARKERS[place % len(_MARKERS)], line)
        found[policy] = _NAMED.get(policy, other)
    return found


@contextmanager
def applied() -> Iterator[None]:
    """Draws with this style inside the block."""
    with mpl.rc_context(_FORMATS):
        yield


def panel(axes: Axes, title: str, x: str = "", y: str = "") -> None:
    """Title and axis labels of one panel."""
    axes.set_title(title, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def percent(share: float) -> str:
    """`95 %` of 0.95."""
    return f"{100 * share:g} %"


def keys(style: Mapping[str, Look]) -> list[Line2D]:
    """A line with its marker for each policy, as a legend shows it."""
    return [
        Line2D([], [], color=look.colour, linestyle=look.line, marker=look.marker, markersize=4, label=look.label)
        for look in style.values()
    ]


def legend(figure: Figure, handles: Sequence[Artist], place: Place = "outside upper center") -> None:
    """The legend of a whole figure, outside of its panels, in as few rows as fit the page."""
    for columns in range(len(handles), 0, -1):
        drawn = figure.legend(handles=handles, loc=place, ncols=columns)
        if drawn.get_window_extent().width <= PAGE_SHARE * figure.bbox.width:
            return
        drawn.remove()


def at_least(axes: Axes, span: float) -> None:
    """Widens the y axis to this span, so that noise does not fill a panel."""
    low, high = axes.get_ylim()
    short = max(0.0, span - (high - low)) / 2
    axes.set_ylim(low - short, high + short)


def save(figure: Figure, path: Path) -> None:
    """Writes `path` (.pdf) and the .png beside it; the same figure gives the same bytes."""
    with applied(), atomic(path) as temporary:
        figure.savefig(temporary, format="pdf", metadata={"CreationDate": None, "Producer": None, "Creator": None})
    with applied(), atomic(path.with_suffix(".png")) as temporary:
        figure.savefig(temporary, format="png", metadata={"Software": None})


def heading(axes: Axes, text: str, y: float) -> None:
    """The name of a group of rows, bold among the row labels, at the height `y` in data units."""
    axes.annotate(
        text,
        (0, y),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        fontweight="bold",
    )
