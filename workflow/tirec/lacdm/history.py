"""history.tsv of a policy of LA-CDM: one row per optimizer step; row 0 is the base's validation."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl

from tirec.lacdm.dialogue import Dialogue, Finish
from tirec.lacdm.rewards import DecisionReward
from tirec.provenance import write_tsv
from tirec.training.practice import Row

PARTS = ("diagnosis", "format", "cost", "match")
FINISHES: tuple[Finish, ...] = get_args(Finish)


def reward_row(rewards: Sequence[DecisionReward], group_size: int) -> Row:
    """Mean reward by part, and the spread of the total within groups (ddof 1)."""
    totals = np.array([reward.total for reward in rewards]).reshape(-1, group_size)
    row = {f"reward_{name}": float(np.mean([getattr(one, name) for one in rewards])) for name in PARTS}
    return row | {"reward": float(totals.mean()), "reward_std": float(totals.std(axis=1, ddof=1).mean())}


def dialogue_row(dialogues: Sequence[Dialogue]) -> Row:
    """What one step's dialogues looked like: how they ended, and per dialogue its turns, tests, USD and tokens."""
    finishes = [one.finish for one in dialogues]
    row = {f"finish_{name}": finishes.count(name) / len(finishes) for name in FINISHES}
    return row | {
        "turns": float(np.mean([len(one.turns) for one in dialogues])),
        "tests": float(np.mean([len(one.environment.provided) for one in dialogues])),
        "cost": float(np.mean([one.environment.cost for one in dialogues])),
        "tokens": float(np.mean([len(one.ids) for one in dialogues])),
    }


def write_cdm_history(rows: Sequence[Row], path: Path) -> None:
    """Writes history.tsv; what was not measured at a step is empty. `phase`: 0 decision, 1 hypothesis, 2 confidence."""
    columns = list(dict.fromkeys(["step", *(name for row in rows for name in row)]))
    complete = [{name: row.get(name) for name in columns} for row in rows]
    schema = {name: pl.Int64 if name == "step" else pl.Float64 for name in columns}
    write_tsv(pl.DataFrame(complete, schema=schema).fill_nan(None), path)
