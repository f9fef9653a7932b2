"""Training one policy from files to files: fingerprint, lock, resume, and the links to what was selected."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tirec.agent.prompt import protocol_of
from tirec.config.agent import ProtocolConfig
from tirec.config.cohort import TASKS
from tirec.config.data import DataClass
from tirec.config.training import TrainingConfig
from tirec.errors import ConfigError, TirecError
from tirec.policy.folders import link_folder
from tirec.policy.policy_file import PolicyFile
from tirec.policy.trainee import load_trainee
from tirec.provenance import write_text
from tirec.training.history import write_history
from tirec.training.local_engine import LocalEngine
from tirec.training.material import Material, read_material
from tirec.training.run_folder import RunFolder, StopFlag, fingerprint, locked
from tirec.training.selection import from_plain, selected_steps
from tirec.training.tool_use import ToolUse


class StoppedError(TirecError):
    """A run that was asked to stop and did, with a checkpoint."""


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
            "training": self.settings.model_dump(mode="json"),
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
    with locked(run_root / run.settings.ablation / f"seed{run.seed}" / run_id) as folder:
        result = folder.result
        if result is None:
            result = _trained(run, folder)
            folder.finish(result)
        _publish(run, run_id, result, folder, output_dir)


def _trained(run: Run, folder: RunFolder) -> dict[str, Any]:
    engine = _engine(run)
    stop = StopFlag()
    previous = signal.signal(signal.SIGTERM, stop)
    try:
        if not engine.run(folder, stop):
            raise StoppedError(f"stopped on request after step {engine.step}; the same command continues")
    finally:
        signal.signal(signal.SIGTERM, previous)
    return {"history": engine.history, "validations": engine.validations}


def _engine(run: Run) -> LocalEngine:
    trainee = load_trainee(run.sources.base_file, run.settings)
    protocol = protocol_of(trainee.policy.tokenizer, run.rules)
    if protocol.template_hash != trainee.policy.file.template_hash:
        raise ConfigError(f"{run.rules.prompts}: the base was made with other prompts or functions; build it again")
    practice = ToolUse(trainee.policy, protocol, run.material(), run.settings, run.rules, run.seed)
    return LocalEngine(trainee, practice, run.settings, run.seed)


def _publish(run: Run, run_id: str, result: Mapping[str, Any], folder: RunFolder, output_dir: Path) -> None:
    """Links the selected weights and writes what belongs to them; policy.json last, when its weights are there."""
    write_history(result["history"], output_dir / "history.tsv")
    write_text(yaml.safe_dump({"seed": run.seed, **run.settings.model_dump(mode="json")}), output_dir / "config.yaml")
    link_folder(folder.weights(run.settings.steps), output_dir / "last" / "model")
    base = PolicyFile.read(run.sources.base_file)
    for task, step in selected_steps(from_plain(result["validations"]), run.settings.selection).items():
        link_folder(folder.weights(step), output_dir / task / "model")
        told = {"weights": "model", "tokenizer": "model", "calls": run.rules.calls, "selected_step": step}
        policy = base.model_copy(update={**told, "fingerprint": run_id, "data_class": run.data_class})
        policy.write(output_dir / task / "policy.json")
