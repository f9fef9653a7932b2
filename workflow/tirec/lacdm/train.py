"""Training one policy of LA-CDM from files to files: fingerprint, lock, resume, and the link to what was selected."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tirec.config.data import DataClass
from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.lacdm_training import CdmTrainingConfig
from tirec.errors import ConfigError
from tirec.lacdm.base import cdm_protocol
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.consult import Clinic
from tirec.lacdm.history import write_cdm_history
from tirec.lacdm.lessons import CdmPractice, References, selected
from tirec.lacdm.menu import read_menu
from tirec.policy.folders import link_folder
from tirec.policy.hf import LoadedPolicy
from tirec.policy.policy_file import PolicyFile
from tirec.policy.trainee import load_trainee
from tirec.provenance import write_text
from tirec.teacher.reference_sets import read as read_reference_sets
from tirec.training.local_engine import LocalEngine
from tirec.training.run_folder import RunFolder, fingerprint
from tirec.training.train import trained


@dataclass(frozen=True)
class CdmRun:
    """One training run: the files it reads and everything it was told."""

    train: Path
    validation: Path
    base: Path
    """policy.json of the base."""
    references: Path | None
    """reference_sets.tsv, where matching is rewarded."""
    settings: CdmTrainingConfig
    rules: ConsultConfig
    seed: int
    code: str
    data_class: DataClass

    def files(self) -> dict[str, Path]:
        """Every file whose bytes belong to the run's identity, by a name without a path."""
        found = {"train": self.train, "validation": self.validation, "menu": self.rules.menu_file()}
        found |= {"references": self.references} if self.references else {}
        prompts = sorted(self.rules.agents.prompts_folder().glob("*.j2"))
        return found | {f"prompts/{path.name}": path for path in prompts}

    @property
    def id(self) -> str:
        """The fingerprint: another one starts fresh, the same one resumes or is already done."""
        told = {
            "training": self.settings.model_dump(mode="json"),
            "rules": self.rules.model_dump(mode="json", exclude={"menu": True, "agents": {"prompts"}}),
            "seed": self.seed,
            "base": PolicyFile.read(self.base).base_id,
            "code": self.code,
        }
        return fingerprint(self.files(), told)


def train(run: CdmRun, run_root: Path, output_dir: Path) -> None:
    """Trains, resumes or finds finished the run; writes policy.json with its weights, history.tsv and config.yaml.

    Raises RunLockedError while another process trains the same run, StoppedError after a signal to stop.
    """
    run_id = run.id
    place = run_root / run.settings.ablation / f"seed{run.seed}" / run_id
    with trained(place, lambda _: _engine(run)) as (folder, result):
        _publish(run, run_id, result, folder, output_dir)


def _engine(run: CdmRun) -> LocalEngine:
    trainee = load_trainee(run.base, run.settings)
    clinic = clinic_of(trainee.policy, run.rules, run.settings, run.base)
    validation = list(open_cdm_cases(run.validation))
    cases = open_cdm_cases(run.train)
    practice = CdmPractice(clinic, cases, validation, run.settings, _references(run), run.seed)
    return LocalEngine(trainee, practice, run.settings, run.seed)


def clinic_of(policy: LoadedPolicy, rules: ConsultConfig, settings: CdmTrainingConfig, path: Path) -> Clinic:
    """A policy with the words and the menu it was made with; raises ConfigError where these are others."""
    menu = read_menu(rules.menu_file(), rules.switches)
    protocol = cdm_protocol(policy.tokenizer, rules, menu)
    if protocol.identity != policy.file.template_hash:
        raise ConfigError(f"{path}: the policy was made with other prompts or another menu; build the base again")
    return Clinic(policy.model, protocol, menu, rules, settings.cast)


def _references(run: CdmRun) -> References:
    if not run.settings.decision.match:
        return {}
    if run.references is None:
        raise ConfigError("decision.match: needs reference sets of tests (--references)")
    return read_reference_sets(run.references)


def _publish(run: CdmRun, run_id: str, result: Mapping[str, Any], folder: RunFolder, output_dir: Path) -> None:
    """Links the selected weights and writes what belongs to them; policy.json last, when its weights are there."""
    write_cdm_history(result["history"], output_dir / "history.tsv")
    write_text(yaml.safe_dump({"seed": run.seed, **run.settings.model_dump(mode="json")}), output_dir / "config.yaml")
    step = selected({int(one): found for one, found in result["validations"].items()}, run.settings.selection)
    link_folder(folder.weights(step), output_dir / "model")
    told = {"weights": "model", "tokenizer": "model", "selected_step": step}
    base = PolicyFile.read(run.base)
    policy = base.model_copy(update={**told, "fingerprint": run_id, "data_class": run.data_class})
    policy.write(output_dir / "policy.json")
