"""The registry of the 18 clinical functions: schemas, tree columns, docs and the rewardable set come from it."""

from collections.abc import Iterable
from typing import Any

from tirec.evidence.functions import context, details, history, imaging, labs, orders, vitals, waveforms
from tirec.evidence.functions.function import ClinicalFunction, Text

_MODULES = (context, vitals, labs, orders, imaging, history, waveforms, details)

REGISTRY: dict[str, ClinicalFunction] = {
    function.name: function for module in _MODULES for function in module.FUNCTIONS
}
"""The 18 functions by name: twelve summaries, then six details."""

SUMMARIES = tuple(name for name, function in REGISTRY.items() if not function.detail)
DETAILS = tuple(name for name, function in REGISTRY.items() if function.detail)
REWARDABLE = tuple(name for name, function in REGISTRY.items() if function.rewardable)


def schemas(names: Iterable[str]) -> list[dict[str, Any]]:
    """Tool schemas of the named functions, in the given order; every function takes an empty argument object."""
    return [_schema(REGISTRY[name]) for name in names]


def _schema(function: ClinicalFunction) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}, "required": []}
    described = {"name": function.name, "description": function.description, "parameters": parameters}
    return {"type": "function", "function": described}


def function_of(column: str) -> str:
    """The function that a tree column belongs to; `context` for the columns that belong to none."""
    return column.partition("__")[0]


__all__ = ["DETAILS", "REGISTRY", "REWARDABLE", "SUMMARIES", "ClinicalFunction", "Text", "function_of", "schemas"]
