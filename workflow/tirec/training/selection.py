"""Which checkpoint a task keeps: the highest validation F1, then the highest AUPRC, then the earliest."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import numpy as np

from tirec.agent.cases import Case
from tirec.agent.episode import EpisodeRecord
from tirec.agent.reward import called, match_part
from tirec.evaluation.metrics import auroc, average_precision, best_f1, f1_at

Prevalence = Mapping[tuple[str, str], float]
"""Share of positives among the training cases of a task and setting."""


@dataclass(frozen=True)
class Validation:
    """Greedy validation of one checkpoint on one task: metrics are means over the task's settings."""

    f1: float
    f1_at_half: float
    auprc: float
    auroc: float
    match_f1: float
    calls: float
    unanswered: float


def validate(played: Iterable[tuple[Case, EpisodeRecord]], prevalence: Prevalence) -> dict[str, Validation]:
    """Metrics by task; an unanswered case counts with the training prevalence of its task and setting."""
    by_task: dict[str, list[tuple[Case, EpisodeRecord]]] = {}
    for case, record in played:
        by_task.setdefault(case.task, []).append((case, record))
    return {task: _of_task(members, prevalence) for task, members in sorted(by_task.items())}


def _of_task(members: Sequence[tuple[Case, EpisodeRecord]], prevalence: Prevalence) -> Validation:
    settings: dict[str, list[tuple[int, float]]] = {}
    for case, record in members:
        filled = prevalence[case.task, case.setting] if record.p is None else record.p
        settings.setdefault(case.setting, []).append((case.label, filled))
    scores = np.array([_of_setting(pairs) for pairs in settings.values()])  # (settings, 4)
    f1, f1_at_half, auprc, auroc_mean = (_mean_defined(column) for column in scores.T)
    return Validation(
        f1,
        f1_at_half,
        auprc,
        auroc_mean,
        match_f1=fmean(match_part(called(record), case.reference) for case, record in members),
        calls=fmean(len(record.calls) for _, record in members),
        unanswered=fmean(record.p is None for _, record in members),
    )


def _of_setting(pairs: Sequence[tuple[int, float]]) -> tuple[float, float, float, float]:
    label, p = np.array([one for one, _ in pairs]), np.array([one for _, one in pairs])
    return best_f1(label, p)[1], f1_at(label, p, 0.5), average_precision(label, p), auroc(label, p)


def _mean_defined(values: np.ndarray) -> float:
    """Mean over the settings where the metric is defined; NaN where it is in none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else math.nan


Validations = dict[int, dict[str, Validation]]
"""Validations by checkpoint step, then task."""


def selected_steps(validations: Validations, metric: str) -> dict[str, int]:
    """The step that each task keeps, of the checkpoints so far; the base itself (step 0) is not one."""
    tasks = next(iter(validations.values()), {})
    return {task: select({step: found[task] for step, found in validations.items()}, metric) for task in tasks}


def plain(validations: Validations) -> dict[int, dict[str, dict[str, float]]]:
    """Validations as dictionaries of numbers, for a checkpoint or a JSON file."""
    return {step: {task: asdict(one) for task, one in found.items()} for step, found in validations.items()}


def from_plain(content: Mapping[Any, Mapping[str, Mapping[str, float]]]) -> Validations:
    """The inverse of `plain`, with steps written as numbers or as text."""
    return {int(step): {task: Validation(**one) for task, one in found.items()} for step, found in content.items()}


def select(validations: Mapping[int, Validation], metric: str) -> int:
    """The step to keep of one task; `metric` is `best_threshold` or `f1_at_half`. Undefined loses to any number."""
    name = "f1" if metric == "best_threshold" else "f1_at_half"

    def rank(step: int) -> tuple[float, float, int]:
        found = validations[step]
        return _or_lowest(getattr(found, name)), _or_lowest(found.auprc), -step

    return max(validations, key=rank)


def _or_lowest(value: float) -> float:
    return -math.inf if math.isnan(value) else value
