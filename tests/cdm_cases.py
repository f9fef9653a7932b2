"""A small admission and the menu for tests of LA-CDM; all of it invented."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tirec.config.lacdm import PRESETS, SwitchesConfig
from tirec.lacdm.cases import CdmCase
from tirec.lacdm.environment import ClinicEnvironment
from tirec.lacdm.menu import Menu, read_menu

ROOT = Path(__file__).resolve().parents[1]
MENU_FILE = ROOT / "config" / "lacdm" / "menu.yaml"
PAPER = SwitchesConfig()
REPAIRED = SwitchesConfig(**PRESETS["repaired"])


@cache
def menu_of(switches: SwitchesConfig) -> Menu:
    """The menu under some switches, read once."""
    return read_menu(MENU_FILE, switches)


def paper_menu() -> Menu:
    """The twelve tests of the paper."""
    return menu_of(PAPER)


def toy_admission(**changes: Any) -> CdmCase:
    """A cholecystitis with an examination, an ultrasound and two panels; no CT was performed."""
    case = CdmCase(
        case_id=3,
        hadm_id=29_000_003,
        patient=19_000_001,
        split="train",
        condition="cholecystitis",
        age=52,
        sex="F",
        history="Two days of right upper quadrant pain after meals.",
        texts={
            "Physical Examination": "Abd: RUQ tender.",
            "Ultrasound": "Stones, thick wall, compatible with ____.",
            "Complete Blood Count": "White Blood Cells: 13.2 K/uL",
            "Liver Function Panel": "Bilirubin, Total: 1.9 mg/dL",
        },
        rows={"Ultrasound": (5,), "Complete Blood Count": (8, 9)},
    )
    return replace(case, **changes)


def clinic(switches: SwitchesConfig = PAPER, turns: int = 14, **changes: Any) -> ClinicEnvironment:
    """That admission as an environment under some switches."""
    return ClinicEnvironment(toy_admission(**changes), menu_of(switches), switches, turns)
