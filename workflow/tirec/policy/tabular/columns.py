"""Which columns a model may read: all of them, or those of the initial view."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from tirec.errors import DataError
from tirec.evidence.menu import function_of
from tirec.teacher.rows import SETTING, Rows

_LATER_PAIN = ("triage__pain", "triage__pain_since_min")


def is_arrival(column: str) -> bool:
    """Whether a column is in the initial view, which an agent has before it asks for anything."""
    return function_of(column) in ("demographics", "triage") and column not in _LATER_PAIN


def restricted(rows: Rows, which: Literal["all", "arrival"]) -> Rows:
    """The rows with all columns, or with those of the initial view; the setting stays."""
    return rows if which == "all" else keep(rows, is_arrival)


def keep(rows: Rows, wanted: Callable[[str], bool]) -> Rows:
    """The rows with the wanted columns and the setting."""
    return select(rows, tuple(name for name in rows.features if name == SETTING or wanted(name)))


def select(rows: Rows, features: tuple[str, ...]) -> Rows:
    """The rows with these columns in this order; raises DataError where one is missing."""
    place = {name: number for number, name in enumerate(rows.features)}
    if missing := [name for name in features if name not in place]:
        raise DataError(f"the features have no column {missing[0]}; build them with the settings of the fit")
    if features == rows.features:
        return rows
    return Rows(rows.keys, np.ascontiguousarray(rows.values[:, [place[name] for name in features]]), features)
