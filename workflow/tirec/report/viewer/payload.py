"""What the page knows: sampled cases, every model's episode of each, and the text behind them, as one JSON object.

It holds no patient or visit number: cases carry the study's own instance ids, evidence its source row numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from tqdm import tqdm

from tirec.agent import trajectories
from tirec.agent.cases import Case, Cases
from tirec.agent.reward import called
from tirec.agent.trajectories import Trajectory
from tirec.agent.words import describe
from tirec.config.cohort import SETTINGS
from tirec.config.report import ReportConfig
from tirec.errors import DataError
from tirec.evidence.menu import MENU
from tirec.report.viewer.judging import Place, threshold_at, verdicts
from tirec.report.viewer.selection import sample
from tirec.report.viewer.turns import Texts, episode_json

Thresholds = Mapping[Place, tuple[float, str]]


@dataclass(frozen=True)
class Models:
    """Everything that predicted the test cases, by name: episodes of agents, probabilities of what makes no calls."""

    episodes: Mapping[str, Path]
    """trajectories/{model}/test.jsonl.zst"""
    scores: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """Predictions: instance_id, p."""
    thresholds: Mapping[str, Thresholds] = field(default_factory=dict)
    """Thresholds by task and setting; a model without one is judged at 0.5."""


@dataclass(frozen=True)
class Picked:
    """Cases chosen by written rules instead of a sample."""

    reasons: Mapping[int, Sequence[str]]
    """instance_id -> the rules that chose it."""
    rules: Mapping[str, str]
    """Rule -> what it picks."""


def payload(
    cases: Cases, models: Models, rules: ReportConfig, data_class: str, picked: Picked | None = None
) -> dict[str, Any]:
    """The page's content for a seeded sample of `cases`, or for the picked ones.

    Raises DataError where no model has an episode of any sampled case; rules that pick no case leave the page empty.
    """
    frame = cases.frame
    chosen = sorted(picked.reasons) if picked else sample(frame, rules.viewer_cases, rules.viewer_seed)
    texts = Texts()
    reasons = picked.reasons if picked else {}
    shown = {one: {**_case(cases[one], models, texts), "why": list(reasons.get(one, ()))} for one in chosen}
    for model, path in models.episodes.items():
        _add_episodes(shown, cases, model, path, models.thresholds.get(model, {}), texts)
    if chosen and not any(case["episodes"] for case in shown.values()):
        raise DataError("no model has an episode of any test case")
    return {
        "data_class": data_class,
        "title": "Cases" if picked else "Trajectories",
        "conditions": [],
        "sample": {"shown": len(shown), "of": frame.height, "seed": rules.viewer_seed},
        "rules": dict(picked.rules) if picked else {},
        "models": list(models.episodes),
        "scorers": list(models.scores),
        "thresholds": {name: _spelled(models.thresholds.get(name, {})) for name in (*models.episodes, *models.scores)},
        "settings": {task: list(settings) for task, settings in SETTINGS.items()},
        "functions": {name: [_kind(name), item.description] for name, item in MENU.items()},
        "texts": texts.listed,
        "cases": list(shown.values()),
    }


def _case(case: Case, models: Models, texts: Texts) -> dict[str, Any]:
    """The case without its episodes; texts of the reference set only, what else was read stands in the episodes."""
    return {
        "id": case.instance_id,
        "task": case.task,
        "setting": case.setting,
        **{key: value for key, value in describe(case.task, case.setting, case.cutoff_s).items() if key != "setting"},
        "label": case.label,
        "reference": list(case.reference),
        "view": texts.ref(case.view),
        "reference_texts": {name: texts.ref(case.texts[name]) for name in case.reference if name in case.texts},
        "scores": {name: _score(case, frame, models.thresholds.get(name, {})) for name, frame in models.scores.items()},
        "episodes": {},
    }


def _score(case: Case, frame: pl.DataFrame, thresholds: Thresholds) -> dict[str, Any]:
    found = frame.filter(pl.col("instance_id") == case.instance_id)["p"].to_list()
    p = found[0] if found else None
    own, source = threshold_at(thresholds, (case.task, case.setting))
    return {"p": p, "verdicts": verdicts(p, case.label, own), "threshold": own, "source": source}


def _add_episodes(
    shown: Mapping[int, dict[str, Any]], cases: Cases, model: str, path: Path, thresholds: Thresholds, texts: Texts
) -> None:
    read = tqdm(trajectories.read(path), desc=f"episodes of {model}", mininterval=5, unit="")
    for trajectory in read:
        if trajectory.instance_id in shown:
            case = cases[trajectory.instance_id]
            shown[case.instance_id]["episodes"][model] = _judged(trajectory, case, thresholds, texts)


def _judged(trajectory: Trajectory, case: Case, thresholds: Thresholds, texts: Texts) -> dict[str, Any]:
    """An episode with its verdicts and the members of the reference set that it read."""
    own, source = threshold_at(thresholds, (case.task, case.setting))
    ran = called(trajectory.episode)
    return {
        **episode_json(trajectory, texts),
        "verdicts": verdicts(trajectory.episode.p, case.label, own),
        "threshold": own,
        "source": source,
        "hits": [name for name in case.reference if name in ran],
    }


def _spelled(thresholds: Thresholds) -> dict[str, list[object]]:
    return {f"{task} {setting}": [value, source] for (task, setting), (value, source) in thresholds.items()}


def _kind(name: str) -> str:
    item = MENU[name]
    return "detail" if item.detail else "rewardable" if item.rewardable else "summary"


def named(paths: Iterable[Path]) -> dict[str, Path]:
    """Files by the model whose folder they lie in."""
    return {path.parent.name: path for path in paths}
