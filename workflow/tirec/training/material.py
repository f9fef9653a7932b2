"""What a training run reads, whichever engine runs it: cases, schedule, skill sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import polars as pl

from tirec.agent.cases import Case, Cases, open_cases
from tirec.agent.skills import kept_sentences, read_collected
from tirec.errors import ConfigError, EmptyError
from tirec.records.stored import read_stored
from tirec.training.selection import Prevalence


@dataclass(frozen=True)
class Material:
    """Cases to learn from, cases of half A that select checkpoints, and what stands in every slot of every step."""

    train: Cases
    validation: Sequence[Case]
    schedule: pl.DataFrame
    """step, slot, instance_id, retention, kept; sorted by step and slot."""
    skills: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Slot:
    """A case with the skill sentences that its prompt keeps at this step."""

    case: Case
    sentences: tuple[str, ...]


def read_material(train: Path, validation: Path, schedule: Path, skills: Path, steps: int) -> Material:
    """Opens the files of a run of `steps`; raises EmptyError without cases of half A, ConfigError for another plan."""
    cases = open_cases(validation)
    half_a = cases.frame.filter(pl.col("half") == "A")["instance_id"]
    if half_a.is_empty():
        raise EmptyError(f"{validation}: no cases of half A to select checkpoints with")
    plan = read_stored(schedule, ("step", "slot", "instance_id", "kept")).sort("step", "slot")
    if set(plan["step"]) != set(range(1, steps + 1)):
        raise ConfigError(f"{schedule}: not a schedule of {steps} steps")
    return Material(open_cases(train), [cases[one] for one in half_a], plan, read_collected(skills))


def slots_of(rows: pl.DataFrame, material: Material) -> list[Slot]:
    """The slots that rows of the schedule describe, in their order."""
    return [slot(instance_id, kept, material) for instance_id, kept in rows.select("instance_id", "kept").iter_rows()]


def slot(instance_id: int, kept: int, material: Material) -> Slot:
    """A training case with its kept sentences (bit j of `kept`: sentence j)."""
    case = material.train[instance_id]
    return Slot(case, kept_sentences(material.skills[case.task], kept))


def prevalence(cases: Cases) -> Prevalence:
    """Share of positives by task and setting."""
    rates = cases.frame.group_by("task", "setting").agg(pl.col("label").mean())
    return {(task, setting): rate for task, setting, rate in rates.iter_rows()}


def derived_seed(purpose: str, *numbers: int) -> int:
    """A seed of its own for every purpose, run, step and batch."""
    text = " ".join([purpose, *map(str, numbers)])
    return int.from_bytes(sha256(text.encode()).digest()[:6], "big")
