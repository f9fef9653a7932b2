"""What an engine trains on, as far as it cares: samples for a step, a validation, and the checkpoints worth keeping."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tirec.training.sample import Sample

Row = dict[str, float]
"""What is logged of one step."""
Judgement = Mapping[str, Mapping[str, float]]
"""Validation of one checkpoint: metrics by task, plain numbers so that a checkpoint and a JSON file can hold them."""


@dataclass(frozen=True)
class Lesson:
    """What one optimizer step learns from."""

    samples: Sequence[Sample]
    logged: Row


class Practice(Protocol):
    """A study's side of training. Everything random in it comes from the run's seed and the step."""

    def lesson(self, step: int) -> Lesson:
        """Plays the episodes of a step with the policy as it is, scores them and makes samples of them."""
        ...

    def validate(self) -> Judgement:
        """Judges the policy as it is on the validation cases."""
        ...

    def kept(self, judgements: Mapping[int, Judgement]) -> Collection[int]:
        """Of the checkpoints so far, by step, those whose weights are still wanted (the newest is kept anyway)."""
        ...


def judgement_row(judgement: Judgement) -> Row:
    """A validation's numbers as columns `val_{task}_{metric}`."""
    return {f"val_{task}_{name}": value for task, found in judgement.items() for name, value in found.items()}
