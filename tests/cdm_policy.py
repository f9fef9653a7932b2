"""A very small policy with invented cases for tests of LA-CDM: dialogues and training in seconds."""

import random
from functools import cache
from pathlib import Path

import polars as pl
from tiny_policy import loud

from tirec.agent.cases import write
from tirec.config.lacdm import CONDITIONS
from tirec.config.lacdm_base import CdmBaseConfig
from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.policy import TinyConfig
from tirec.lacdm.base import cdm_tokenizer
from tirec.lacdm.cases import HEAD, ROWS, CdmCase, CdmCases, open_cdm_cases
from tirec.lacdm.consult import Clinic
from tirec.lacdm.menu import read_menu
from tirec.lacdm.protocol import CdmProtocol
from tirec.policy.base import new_model

RULES = ConsultConfig(
    switches={"initial": "history"},
    limits={"turns": 4, "turn_tokens": 24, "dialogue_tokens": 300},
    agents={"prompts": "config/lacdm/prompts/demo", "temperature": 0},
)
SHAPE = TinyConfig(hidden=32, layers=2, heads=2, key_value_heads=1, head_dim=16, intermediate=48, vocabulary=500)
BASE = CdmBaseConfig(
    kind="tiny", lora=None, tiny=SHAPE, warm_start={"steps": 30, "batch": 16, "most_tests": 3, "strength": 2.5}
)
FINDING = dict(zip(CONDITIONS, ("RLQ", "RUQ", "LLQ", "Epigastric"), strict=True))


@cache
def menu():
    return read_menu(RULES.menu_file(), RULES.switches)


@cache
def tokenizer():
    return cdm_tokenizer(RULES.agents.prompts_folder(), menu(), SHAPE.vocabulary)


@cache
def protocol() -> CdmProtocol:
    return CdmProtocol(tokenizer(), RULES.agents.prompts_folder(), menu().names)


def model(seed: int = 0):
    """Random weights, loud."""
    return loud(new_model(tokenizer(), SHAPE, seed))


def clinic(cast="two", made=None, rules=RULES) -> Clinic:
    return Clinic(made if made is not None else model(), protocol(), menu(), rules, cast)


def case(number: int = 1, condition: str = "appendicitis", **texts: str) -> CdmCase:
    """A case; keyword arguments are results by test name with _ for blanks."""
    results = {name.replace("_", " "): text for name, text in texts.items()}
    known = results or {
        "Physical Examination": f"soft, {FINDING[condition]} tender",
        "CT": "No acute abnormality seen.",
    }
    rows = {name: (number,) for name in known}
    return CdmCase(number, 1000 + number, number // 2, "train", condition, 50, "F", "abdominal pain", known, rows)


def write_cases(path: Path, split: str, n: int) -> CdmCases:
    """n cases, conditions in turn; the examination points at the condition."""
    rows = [_row(split, number) for number in range(n)]
    kinds = {**HEAD, **{name: pl.String() for name in menu().names}}
    kinds |= {ROWS + name: pl.List(pl.Int64()) for name in menu().names}
    write([pl.DataFrame(rows, schema=kinds)], path)
    return open_cdm_cases(path)


def _row(split: str, number: int) -> dict[str, object]:
    draw = random.Random(f"{split} {number}")
    condition = CONDITIONS[number % 4]
    row: dict[str, object] = dict.fromkeys([*menu().names, *(ROWS + name for name in menu().names)])
    given = {"case_id": number, "hadm_id": 9000 + number, "patient": number // 2, "split": split, "age": 40, "sex": "M"}
    told = {"condition": condition, "history": f"{draw.choice(['one', 'two'])} days of abdominal pain"}
    exam = f"soft, {FINDING[condition]} tender" if draw.random() < 0.8 else "soft"
    return row | given | told | {"Physical Examination": exam, ROWS + "Physical Examination": [number]}
