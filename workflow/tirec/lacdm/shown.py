"""What the shared page of trajectories knows of LA-CDM: sampled cases, and every model's dialogue about each.

A case carries its condition as what happened in the end, never in its name or setting: a reader who goes step by step
is not told.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from tqdm import tqdm

from tirec.agent import trajectories
from tirec.agent.trajectories import Trajectory
from tirec.config.lacdm import CONDITIONS
from tirec.config.report import ReportConfig
from tirec.errors import DataError
from tirec.lacdm.cases import CdmCase, CdmCases
from tirec.lacdm.menu import Menu
from tirec.lacdm.told import TASK
from tirec.report.viewer.selection import sample
from tirec.report.viewer.turns import Texts, episode_json

RIGHT, WRONG, UNANSWERED = "right", "wrong", "unanswered"


@dataclass(frozen=True)
class Dialogues:
    """What one model said about the test cases, and how each dialogue ended."""

    episodes: Path
    """trajectories/{model}/test.jsonl.zst"""
    predictions: pl.DataFrame
    """predictions/{model}/test.parquet"""


def payload(
    cases: CdmCases, models: Mapping[str, Dialogues], menu: Menu, rules: ReportConfig, data_class: str
) -> dict[str, Any]:
    """The page's content for a seeded sample, the same number of each condition while they last.

    Raises DataError where no model has a dialogue about any sampled case.
    """
    known = [(case.case_id, case.condition) for case in cases]
    frame = pl.DataFrame(known, schema={"instance_id": pl.Int64(), "task": pl.String()}, orient="row")
    texts = Texts()
    shown = {one: _case(cases[one], texts) for one in sample(frame, rules.viewer_cases, rules.viewer_seed)}
    for model, told in models.items():
        _add_dialogues(shown, model, told, texts)
    if not any(case["episodes"] for case in shown.values()):
        raise DataError("no model has a dialogue about any test case")
    return {
        "data_class": data_class,
        "title": "Dialogues",
        "conditions": list(CONDITIONS),
        "sample": {"shown": len(shown), "of": frame.height, "seed": rules.viewer_seed},
        "rules": {},
        "models": list(models),
        "scorers": [],
        "thresholds": {},
        "settings": {TASK: []},
        "functions": {test.name: [str(test.kind), f"{test.kind}, {test.price:g} USD"] for test in menu},
        "texts": texts.listed,
        "cases": list(shown.values()),
    }


def _case(case: CdmCase, texts: Texts) -> dict[str, Any]:
    empty: dict[str, Any] = {"reference_texts": {}, "scores": {}, "episodes": {}}
    named = {"id": case.case_id, "task": TASK, "setting": "", "happened": case.condition}
    return {**named, "why": [], "reference": [], "view": texts.ref(case.history), **empty}


def _add_dialogues(shown: Mapping[int, dict[str, Any]], model: str, told: Dialogues, texts: Texts) -> None:
    ended = {row["case_id"]: row for row in told.predictions.iter_rows(named=True)}
    for one in tqdm(trajectories.read(told.episodes), desc=f"dialogues of {model}", mininterval=5, unit=""):
        if one.instance_id not in shown:
            continue
        if one.instance_id not in ended:
            raise DataError(f"{told.episodes}: case {one.instance_id} has no row in the predictions of {model}")
        shown[one.instance_id]["episodes"][model] = _dialogue(one, ended[one.instance_id], texts)


def _dialogue(told: Trajectory, ended: Mapping[str, Any], texts: Texts) -> dict[str, Any]:
    verdict = verdict_of(ended["predicted"], ended["condition"])
    return {
        **episode_json(told, texts),
        "finish": ended["finish"],
        "answer": ended["predicted"],
        "cost": ended["cost"],
        "verdicts": {"own": verdict, "half": verdict},
        "hits": [],
    }


def verdict_of(predicted: str | None, condition: str) -> str:
    """Whether a diagnosis is the condition; without a diagnosis it is a kind of its own."""
    if predicted is None:
        return UNANSWERED
    return RIGHT if predicted == condition else WRONG
