"""The tables that verl reads: which slot of which step comes next; prompts are built where episodes are played."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tirec.provenance import write_parquet, write_text
from tirec.training.material import Material
from tirec.training.verl_engine.settings import AGENT_LOOP

# verl insists on a prompt and a ground truth in every row; both are elsewhere here.
_UNUSED = {"prompt": [{"role": "user", "content": ""}], "reward_model": {"style": "rule", "ground_truth": ""}}


def write_tables(material: Material, train: Path, validation: Path) -> None:
    """One row per slot in the schedule's order, and one per case of half A."""
    slots = material.schedule.select("step", "slot", "instance_id").rows()
    write_parquet(_table(_row("train", step, slot, case) for step, slot, case in slots), train)
    write_parquet(_table(_row("validation", 0, 0, case.instance_id) for case in material.validation), validation)


def _row(split: str, step: int, slot: int, instance_id: int) -> Mapping[str, Any]:
    where = {"split": split, "step": step, "slot": slot, "instance_id": instance_id, "index": slot}
    return {**_UNUSED, "data_source": split, "agent_name": AGENT_LOOP, "extra_info": where}


def _table(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows))


def write_agent_loop(brief: Path, path: Path) -> None:
    """verl's list of agent loops: ours, with the run's brief."""
    target = "tirec.training.verl_engine.agent_loop.EpisodeLoop"
    write_text(f"- name: {AGENT_LOOP}\n  _target_: {target}\n  brief: {brief}\n", path)
