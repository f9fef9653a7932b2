"""Which training cases a few-shot prompt shows: drawn by a seed, never from validation or test."""

import random
from collections.abc import Iterable

import polars as pl

from tirec.agent.cases import Case, Cases
from tirec.config.chat import FewShotConfig
from tirec.config.cohort import INSTANCE_SETS
from tirec.errors import DataError


def choose(train: Cases, config: FewShotConfig) -> dict[tuple[str, str], list[Case]]:
    """Cases to show for each task and setting, half of them (rounded up) with the outcome, in a drawn order.

    Raises DataError where a case is not of the training split, or there are too few.
    """
    cases = train.frame.select("instance_id", "task", "setting", "split", "label")
    if foreign := set(cases["split"].unique()) - {"train"}:
        raise DataError(f"few-shot examples come from the training split only, not from {sorted(foreign)[0]}")
    return {
        (task, setting): [train[one] for one in _drawn(cases, task, setting, config)] for task, setting in INSTANCE_SETS
    }


def _drawn(cases: pl.DataFrame, task: str, setting: str, config: FewShotConfig) -> list[int]:
    here = cases.filter((pl.col("task") == task) & (pl.col("setting") == setting)).sort("instance_id")
    draw = random.Random(f"few-shot {config.seed} {task} {setting}")
    with_outcome = (config.examples + 1) // 2
    wanted = ((1, with_outcome), (0, config.examples - with_outcome))
    chosen = [one for label, n in wanted for one in _some(here.filter(pl.col("label") == label), n, draw)]
    draw.shuffle(chosen)
    return chosen


def _some(cases: pl.DataFrame, n: int, draw: random.Random) -> Iterable[int]:
    ids = cases["instance_id"].to_list()
    if len(ids) < n:
        raise DataError(f"few_shot.examples: {n} training cases with one outcome are to be shown, there are {len(ids)}")
    return draw.sample(ids, n)
