"""What the processes of a run are told: a file in the run folder, because Ray starts them on any node."""

import json
from functools import cache, cached_property
from pathlib import Path

import polars as pl
from transformers import AutoTokenizer

from tirec.agent.cases import Case
from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.agent.tokens import TurnEnd
from tirec.config.agent import ProtocolConfig
from tirec.config.base import Model, validated
from tirec.config.training import TrainingConfig
from tirec.provenance import write_text
from tirec.training.material import Material, Slot, read_material, slot


class Brief(Model):
    """Files, settings and places of one run."""

    train: Path
    """Cases to learn from."""
    validation: Path
    """Cases of which half A selects checkpoints."""
    schedule: Path
    """step, slot, instance_id, retention, kept."""
    skills: Path
    """Folder of {task}.tsv."""
    base: Path
    """Folder of the base model with its tokenizer."""
    settings: TrainingConfig
    """How the policy is trained."""
    rules: ProtocolConfig
    """The protocol."""
    seed: int
    """The run's seed."""
    run_folder: Path
    """Folder of checkpoints and weights, with the lock."""
    scratch: Path
    """Folder of what only verl reads and writes."""

    def write(self) -> Path:
        """Writes the brief into the scratch folder."""
        path = self.scratch / "brief.json"
        write_text(self.model_dump_json(indent=1), path)
        return path

    @classmethod
    def read(cls, path: Path) -> "Brief":
        """The brief that was written."""
        return validated(cls, json.loads(path.read_text(encoding="utf-8")))

    @property
    def fault(self) -> Path:
        """Where a process says in one line why the run cannot go on."""
        return self.scratch / "fault.txt"

    @property
    def stop(self) -> Path:
        """Exists when the run shall stop after the step it is in."""
        return self.scratch / "stop"

    def material(self) -> Material:
        """The run's cases, schedule and skill sentences."""
        return read_material(self.train, self.validation, self.schedule, self.skills, self.settings.steps)


class Scene:
    """What a process that drives episodes keeps open: the material, and the protocol in the base's tokens."""

    def __init__(self, brief: Brief) -> None:
        self.brief = brief
        self.material = brief.material()
        self._plan = {
            (step, place): (instance_id, kept)
            for step, place, instance_id, kept in self.material.schedule.select(
                "step", "slot", "instance_id", "kept"
            ).iter_rows()
        }
        self._validation = {case.instance_id: case for case in self.material.validation}

    @cached_property
    def protocol(self) -> ChatProtocol:
        """The protocol in the tokens of the base."""
        return protocol_of(AutoTokenizer.from_pretrained(self.brief.base, local_files_only=True), self.brief.rules)

    @cached_property
    def turn_end(self) -> TurnEnd:
        """Where turns end."""
        return TurnEnd(self.protocol)

    def slot(self, step: int, place: int) -> Slot:
        """The case of a slot of a step, with its kept sentences."""
        return slot(*self._plan[step, place], self.material)

    def retention(self, step: int) -> float:
        """Probability that a sentence is kept at a step, as the schedule has it."""
        return self.material.schedule.filter(pl.col("step") == step)["retention"][0]

    def validation_case(self, instance_id: int) -> Case:
        """A case of half A."""
        return self._validation[instance_id]


@cache
def scene(brief: Path) -> Scene:
    """The scene of a run, opened once per process."""
    return Scene(Brief.read(brief))
