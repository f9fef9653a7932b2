"""Training one policy from files to files: fingerprint, lock, resume, and the links to what was selected."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import yaml
from transformers import AutoTokenizer

from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.config.agent import ProtocolConfig
from tirec.config.cohort import TASKS
from tirec.config.data import DataClass
from tirec.config.training import TrainingConfig
from tirec.errors import ConfigError, TirecError
from tirec.policy.folders import link_folder
from tirec.policy.policy_file import PolicyFile
from tirec.provenance import write_text
from tirec.training.history import write_history
from tirec.training.material import Material, read_material
from tirec.training.practice import Judgement, Row
from tirec.training.run_folder import RunFolder, StopFlag, fingerprint, locked
from tirec.training.selection import from_plain, selected_steps
from tirec.training.stopping import on_stop_signals


class StoppedError(TirecError):
    """A run that was asked to stop and did, with a checkpoint."""


class Engine(Protocol):
    """What trains a policy, whatever it runs on."""

    history: list[Row]
    validations: dict[int, Judgement]

    @property
    def step(self) -> int:
        """Optimizer steps done."""
        ...

    def run(self, folder: RunFolder, stop: StopFlag) -> bool:
        """Trains to the end, or until `stop` is raised; whether the end was reached. Resumes from the folder."""
        ...


@dataclass(frozen=True)
class Sources:
    """The files a run reads."""

    train: Path
    """Cases to learn from."""
    validation: Path
    """Cases of which half A selects checkpoints."""
    schedule: Path
    """step, slot, instance_id, retention, kept; read in order."""
    skills: Path
    """Folder of {task}.tsv, the skill sentences."""
    base: Path
    """Folder of the base policy, {task}/policy.json."""

    def files(self, prompts: Path) -> dict[str, Path]:
        """Every file whose bytes belong to the run's identity, by a name without a path."""
        found = {"train": self.train, "validation": self.validation, "schedule": self.schedule}
        found |= {f"skills/{path.name}": path for path in sorted(self.skills.glob("*.tsv"))}
        return found | {f"prompts/{path.name}": path for path in sorted(prompts.glob("*.j2"))}

    @property
    def base_file(self) -> Path:
        """The base's policy.json; all tasks have the same weights."""
        return self.base / TASKS[0] / "policy.json"


@dataclass(frozen=True)
class Run:
    """One training run: everything it was told."""

    sources: Sources
    settings: TrainingConfig
    rules: ProtocolConfig
    seed: int
    code: str
    data_class: DataClass

    @property
    def id(self) -> str:
        """The fingerprint: another one starts fresh, the same one resumes or is already done."""
        told = {
            "training": self.settings.identity(),
            "protocol": self.rules.model_dump(mode="json", exclude={"prompts"}),
            "seed": self.seed,
            "base": PolicyFile.read(self.sources.base_file).base_id,
            "code": self.code,
        }
        return fingerprint(self.sources.files(self.rules.prompts_folder()), told)

    def material(self) -> Material:
        """The run's cases, schedule and skill sentences."""
        told = self.sources
        return read_material(told.train, told.validation, told.schedule, told.skills, self.settings.steps)


def train(run: Run, run_root: Path, output_dir: Path) -> None:
    """Trains, resumes or finds finished the run, and writes policies, history and settings into `output_dir`.

    Raises RunLockedError while another process trains the same run, StoppedError after a signal to stop.
    """
    run_id = run.id
    engine = partial(_verl_engine, run) if run.settings.engine == "verl" else lambda _: _local_engine(run)
    with trained(run_root / run.settings.ablation / f"seed{run.seed}" / run_id, engine) as (folder, result):
        _publish(run, run_id, result, folder, output_dir)


@contextmanager
def trained(place: Path, engine: Callable[[RunFolder], Engine]) -> Iterator[tuple[RunFolder, dict[str, Any]]]:
    """The locked run folder `place` with the result of its run, which an engine brings to its end where it must.

    Raises RunLockedError while another process trains the same run, StoppedError after a signal to stop.
    """
    with locked(place) as folder:
        result = folder.result
        if result is None:
            result = _to_the_end(engine(folder), folder)
            folder.finish(result)
        yield folder, result


def _to_the_end(engine: Engine, folder: RunFolder) -> dict[str, Any]:
    """Runs an engine to its last step; its history and validations. Raises StoppedError after a signal to stop."""
    stop = StopFlag()
    with on_stop_signals(stop):
        if not engine.run(folder, stop):
            raise StoppedError(f"stopped on request after step {engine.step}; the same command continues")
    return {"history": engine.history, "validations": engine.validations}


def _local_engine(run: Run) -> Engine:
    from tirec.policy.trainee import load_trainee
    from tirec.training.local_engine import LocalEngine
    from tirec.training.tool_use import ToolUse

    trainee = load_trainee(run.sources.base_file, run.settings)
    protocol = _checked_protocol(trainee.policy.tokenizer, trainee.policy.file, run.rules)
    practice = ToolUse(trainee.policy, protocol, run.material(), run.settings, run.rules, run.seed)
    return LocalEngine(trainee, practice, run.settings, run.seed)


def _verl_engine(run: Run, folder: RunFolder) -> Engine:
    """verl's processes load the model themselves; this one only needs to know that its words are the base's."""
    if find_spec("verl") is None:
        raise ConfigError(f"engine verl: {sys.executable} has no verl; set environments.grpo to a Python that has it")
    from tirec.training.verl_engine.brief import Brief
    from tirec.training.verl_engine.engine import VerlEngine

    described = PolicyFile.read(run.sources.base_file)
    base = (run.sources.base_file.parent / described.weights).resolve()
    _checked_protocol(AutoTokenizer.from_pretrained(base, local_files_only=True), described, run.rules)
    told = {name: getattr(run.sources, name).resolve() for name in ("train", "validation", "schedule", "skills")}
    whole = {"settings": run.settings, "rules": run.rules, "seed": run.seed}
    places = {"base": base, "run_folder": folder.folder.resolve(), "scratch": folder.scratch.resolve()}
    return VerlEngine(Brief(**told, **whole, **places))


def _checked_protocol(tokenizer: Any, base: PolicyFile, rules: ProtocolConfig) -> ChatProtocol:
    protocol = protocol_of(tokenizer, rules)
    if protocol.template_hash != base.template_hash:
        raise ConfigError(f"{rules.prompts}: the base was made with other prompts or functions; build it again")
    return protocol


def _publish(run: Run, run_id: str, result: Mapping[str, Any], folder: RunFolder, output_dir: Path) -> None:
    """Links the selected weights and writes what belongs to them; policy.json last, when its weights are there."""
    write_history(result["history"], output_dir / "history.tsv")
    write_text(yaml.safe_dump({"seed": run.seed, **run.settings.told()}), output_dir / "config.yaml")
    link_folder(folder.weights(run.settings.steps), output_dir / "last" / "model")
    base = PolicyFile.read(run.sources.base_file)
    for task, step in selected_steps(from_plain(result["validations"]), run.settings.selection).items():
        link_folder(folder.weights(step), output_dir / task / "model")
        told = {"weights": "model", "tokenizer": "model", "calls": run.rules.calls, "selected_step": step}
        policy = base.model_copy(update={**told, "fingerprint": run_id, "data_class": run.data_class})
        policy.write(output_dir / task / "policy.json")
