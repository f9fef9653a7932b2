"""The menu: the 18 functions by name, what an agent is told of each, and which may be rewarded.

No text and no column is made here, so that rewording a text changes nothing for who only needs the names.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Item(NamedTuple):
    """One function as the agent sees it offered."""

    name: str
    description: str
    rewardable: bool = False
    detail: bool = False


_ITEMS = (
    Item(
        "demographics",
        "Age, sex and means of arrival.",
    ),
    Item(
        "triage",
        "Triage acuity, triage vital signs, chief complaint, and the latest charted pain.",
    ),
    Item(
        "heart_rate",
        "Heart rate up to the cutoff: latest, range, trend, time out of range; heart rate variability and perfusion.",
        rewardable=True,
    ),
    Item(
        "blood_pressure",
        "Systolic, diastolic and mean arterial pressure up to the cutoff: latest, range, trend.",
        rewardable=True,
    ),
    Item(
        "oxygen_saturation",
        "Oxygen saturation up to the cutoff: latest, range, trend, and supplemental oxygen.",
        rewardable=True,
    ),
    Item(
        "respiratory_rate",
        "Respiratory rate up to the cutoff: latest, range, trend.",
        rewardable=True,
    ),
    Item(
        "temperature",
        "Body temperature up to the cutoff: latest, range, trend.",
        rewardable=True,
    ),
    Item(
        "labs",
        "Laboratory results by panel: how many are back, which are out of range and in which direction, which pend.",
        rewardable=True,
    ),
    Item(
        "orders",
        "Orders placed by the cutoff: amount, kinds and classes, what has resulted or been given, what is pending.",
        rewardable=True,
    ),
    Item(
        "imaging",
        "Imaging by the cutoff: studies done by region, whether a report names an acute finding, what is pending.",
        rewardable=True,
    ),
    Item(
        "history",
        "Before this visit: prior diagnoses by group, home-medication classes, earlier visits here and how they ended.",
        rewardable=True,
    ),
    Item(
        "waveforms",
        "Bedside monitoring before the cutoff: minutes of ECG, pleth and respiration, and gaps.",
        rewardable=True,
    ),
    Item(
        "vital_sign_values",
        "The latest single readings of every vital sign with their times.",
        detail=True,
    ),
    Item(
        "lab_values",
        "Every laboratory result with value, unit, limits and time; out-of-range ones first.",
        detail=True,
    ),
    Item(
        "order_list",
        "Every order by name with its time and what has come of it; newest first.",
        detail=True,
    ),
    Item(
        "radiology_reports",
        "The impressions of imaging reports; those with an acute finding first.",
        detail=True,
    ),
    Item(
        "prior_diagnoses",
        "Every prior diagnosis with code, group and time noted; newest first.",
        detail=True,
    ),
    Item(
        "home_medications",
        "Every home medication by name and class; newest first.",
        detail=True,
    ),
)

MENU: dict[str, Item] = {item.name: item for item in _ITEMS}
"""The 18 functions by name: twelve summaries, then six details."""

SUMMARIES = tuple(name for name, item in MENU.items() if not item.detail)
DETAILS = tuple(name for name, item in MENU.items() if item.detail)
REWARDABLE = tuple(name for name, item in MENU.items() if item.rewardable)


def schemas(names: Iterable[str]) -> list[dict[str, Any]]:
    """Tool schemas of the named functions, in the given order; every function takes an empty argument object."""
    return [_schema(MENU[name]) for name in names]


def _schema(item: Item) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}, "required": []}
    described = {"name": item.name, "description": item.description, "parameters": parameters}
    return {"type": "function", "function": described}


def function_of(column: str) -> str:
    """The function that a tree column belongs to; `context` for the columns that belong to none."""
    return column.partition("__")[0]
