"""Skill sentences and the reverse curriculum: which of them a training prompt carries at which step."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from tirec.config.agent import SkillsConfig
from tirec.config.cohort import TASKS
from tirec.errors import DataError
from tirec.records.stored import read_table

MAX_SENTENCES = 64
_DRAW_BYTES = 8
_TABLE = {"text": pl.String, "group": pl.String}
_SCHEDULE = {
    "step": pl.Int32,
    "slot": pl.Int32,
    "instance_id": pl.Int64,
    "retention": pl.Float64,
    "kept": pl.UInt64,
}


def skill_table(path: Path | str) -> pl.DataFrame:
    """text, group of each sentence of a skill document: one a line under `#` headings; `>` lines are provenance.

    Raises DataError for a document without sentences or with more than 64.
    """
    rows = list(_sentences(Path(path).read_text(encoding="utf-8")))
    if not 0 < len(rows) <= MAX_SENTENCES:
        raise DataError(f"{path}: {len(rows)} sentences; a skill has 1 to {MAX_SENTENCES}, one a line")
    return pl.DataFrame(rows, schema=_TABLE, orient="row")


def _sentences(document: str) -> Iterator[tuple[str, str]]:
    group = ""
    for line in map(str.strip, document.splitlines()):
        if line.startswith("#"):
            group = line.lstrip("# ")
        elif line and not line.startswith(">"):
            yield line, group


def collect(folder: Path | str) -> dict[str, pl.DataFrame]:
    """text, group of every task's document in a folder of documents; an empty table for a task without one."""
    paths = {task: Path(folder) / f"{task}.md" for task in TASKS}
    return {task: skill_table(path) if path.is_file() else pl.DataFrame(schema=_TABLE) for task, path in paths.items()}


def read_collected(folder: Path | str) -> dict[str, tuple[str, ...]]:
    """The sentences of every task from the folder of collected tables, `{task}.tsv`."""
    return {task: tuple(read_table(Path(folder) / f"{task}.tsv", _TABLE, _TABLE)["text"]) for task in TASKS}


def retention(step: int, interval: int = 20, decrement: float = 0.05) -> float:
    """Probability that a sentence is kept at optimizer step `step` (from 1): max(0, 1 - δ·⌊(s-1)/Δ⌋)."""
    # Rounded, so that 20 decrements of 0.05 end at exactly 0.
    return round(max(0.0, 1 - decrement * ((step - 1) // interval)), 12)


def kept_mask(seed: int, step: int, instance_id: int, sentences: int, keep: float) -> int:
    """Bit j set: sentence j is kept; one draw per (seed, step, case), on every machine and for all its rollouts."""
    key = f"skills {seed} {step} {instance_id}".encode()
    draws = hashlib.shake_256(key).digest(_DRAW_BYTES * sentences)
    numbers = (int.from_bytes(draws[at : at + _DRAW_BYTES], "big") for at in range(0, len(draws), _DRAW_BYTES))
    threshold = int(keep * 2 ** (8 * _DRAW_BYTES))
    return sum(1 << index for index, number in enumerate(numbers) if number < threshold)


def kept_sentences(sentences: Sequence[str], mask: int) -> tuple[str, ...]:
    """The sentences whose bit is set, in order."""
    return tuple(sentence for index, sentence in enumerate(sentences) if mask >> index & 1)


def schedule(
    instances: pl.DataFrame,
    sentences: Mapping[str, int],
    seed: int,
    steps: int,
    prompts_per_step: int,
    skills: SkillsConfig,
) -> pl.DataFrame:
    """step (from 1), slot, instance_id, retention, kept of a training run, from training instances (instance_id, task).

    The order depends on the seed alone: each pass shuffles all instances, tasks mixed, and every instance comes once
    per pass. Raises DataError without instances.
    """
    if instances.is_empty():
        raise DataError("no training instances to schedule")
    count = dict(instances.select("instance_id", pl.col("task").replace_strict(sentences)).iter_rows())
    order = _passes(sorted(count), seed)
    rows = []
    for step in range(1, steps + 1):
        keep = retention(step, skills.interval, skills.decrement) if skills.retention == "curriculum" else 0.0
        for slot in range(prompts_per_step):
            case = next(order)
            rows.append((step, slot, case, keep, kept_mask(seed, step, case, count[case], keep)))
    return pl.DataFrame(rows, schema=_SCHEDULE, orient="row")


def _passes(instance_ids: Sequence[int], seed: int) -> Iterator[int]:
    """All instances in shuffled passes, for ever; a pass is ordered by a hash, so that no library can change it."""
    number = 0
    while True:
        yield from sorted(instance_ids, key=lambda case: _place(seed, number, case))
        number += 1


def _place(seed: int, number: int, instance_id: int) -> bytes:
    return hashlib.blake2b(f"slots {seed} {number} {instance_id}".encode(), digest_size=16).digest()
