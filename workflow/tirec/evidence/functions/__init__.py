"""The registry of the 18 clinical functions: tree columns, texts and docs come from it, names from the menu."""

from tirec.evidence.functions import context, details, history, imaging, labs, orders, vitals, waveforms
from tirec.evidence.functions.function import ClinicalFunction
from tirec.evidence.menu import MENU

_MODULES = (context, vitals, labs, orders, imaging, history, waveforms, details)
_FUNCTIONS = {function.name: function for module in _MODULES for function in module.FUNCTIONS}

REGISTRY: dict[str, ClinicalFunction] = {name: _FUNCTIONS[name] for name in MENU}
"""The 18 functions by name, in the menu's order."""
