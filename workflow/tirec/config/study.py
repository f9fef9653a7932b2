"""The whole study: every section, and loading it with an error line that says what was probably meant."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StringConstraints, field_validator

from tirec.config.agent import ProtocolConfig
from tirec.config.base import Model, read_keys, validated
from tirec.config.cohort import CohortConfig
from tirec.config.data import DataConfig
from tirec.config.evaluation import EvaluationConfig
from tirec.config.evidence import EvidenceConfig
from tirec.config.governance import GovernanceConfig
from tirec.config.lacdm import LacdmConfig
from tirec.config.leak_suite import LeakSuiteConfig
from tirec.config.models import ModelConfig
from tirec.config.policy import BaseConfig
from tirec.config.report import ReportConfig
from tirec.config.studies import StudiesConfig
from tirec.config.synthetic import SyntheticConfig
from tirec.config.teacher import TeacherConfig
from tirec.config.training import Engine, ablations
from tirec.errors import ConfigError

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
RESERVED = ("base", "teacher")
STUDY_FILE = Path(__file__).resolve().parents[3] / "config" / "config.yaml"


class EnvironmentsConfig(Model):
    """Python interpreters that run the rules; the stacks of CPU stages and GPU training may be incompatible. A relative
    path counts from the repository."""

    cpu: str | None = None
    """Interpreter of every CPU rule; the one that runs Snakemake where empty."""
    grpo: str | None = None
    """Interpreter of `train_policy` with `training.engine: verl`, whose stack is another one (`make verl-env`, or a GPU
    node's); the one that runs Snakemake where empty."""
    vllm: str | None = None
    """Interpreter of the server that `serve_and_predict` starts; `grpo`'s where empty."""


class TrainingStageConfig(Model):
    """Where policies are trained; what they are trained with is composed from config/grpo/."""

    engine: Engine = "local"
    """`local`: in-process PyTorch on one device; `verl`: verl with vLLM on GPUs (docs/engines.md)."""
    overrides: dict[str, Any] = Field(default_factory=dict)
    """Values of config/grpo/ that every ablation of this study changes, such as `steps: 90`."""


class Study(Model):
    """Everything that can be chosen in one study."""

    data: DataConfig = DataConfig()
    """The hospital's records."""
    synthetic: SyntheticConfig | None = None
    """Where given, the records are generated instead (the demo)."""
    cohort: CohortConfig = CohortConfig()
    """Who is predicted, when, and the label."""
    evidence: EvidenceConfig = EvidenceConfig()
    """What may be known by the cutoff."""
    teacher: TeacherConfig = TeacherConfig()
    """The tree teacher."""
    protocol: ProtocolConfig = ProtocolConfig()
    """What an agent may do between the initial view and its probability, in training and evaluation alike."""
    skills: str = "config/skills"
    """Folder of the skill documents, one `{task}.md` each (a task without one has no skill); a relative path counts
    from the repository."""
    model: BaseConfig = BaseConfig()
    """The base policy."""
    training: TrainingStageConfig = TrainingStageConfig()
    """Training of the policies."""
    evaluation: EvaluationConfig = EvaluationConfig()
    """Metrics, thresholds, intervals."""
    report: ReportConfig = ReportConfig()
    """Pages for readers."""
    studies: StudiesConfig = StudiesConfig()
    """How models choose and read evidence."""
    leak_suite: LeakSuiteConfig = LeakSuiteConfig()
    """How the study is searched for leaks."""
    models: dict[Name, ModelConfig] = Field(default_factory=dict)
    """Models beside the policies, by name: each gets predictions and a row of `main.tsv`. An overlay leaves one out by
    setting it to null."""
    lacdm: LacdmConfig = LacdmConfig()
    """The second system: hypothesis and decision agents on MIMIC-CDM."""
    ablations: Annotated[tuple[Name, ...], Field(min_length=1)] = ("full", "no_match", "no_skills", "no_gbm_target")
    """Policies to train: names of files in config/grpo/ablation/."""
    seeds: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] = (0,)
    """Training seeds; every ablation is trained once per seed."""
    governance: GovernanceConfig = GovernanceConfig()
    """Where rows may go."""
    environments: EnvironmentsConfig = EnvironmentsConfig()
    """Interpreters."""

    @field_validator("models", mode="before")
    @classmethod
    def _left_out(cls, models: Any) -> Any:
        """Without the models that an overlay set to null."""
        return {name: entry for name, entry in models.items() if entry is not None} if models else {}

    @classmethod
    def load(cls, content: Mapping[str, Any]) -> "Study":
        """The study that a merged configuration describes; raises ConfigError naming the first bad key."""
        study = validated(cls, content)
        study._check_names()
        return study

    @classmethod
    def read(cls, overlays: Iterable[Path] = ()) -> "Study":
        """config/config.yaml under files of the user's own, merged as Snakemake merges --configfile."""
        return cls.load(merged(*map(read_keys, (STUDY_FILE, *overlays))))

    def _check_names(self) -> None:
        for kind, values in (("ablations", self.ablations), ("seeds", self.seeds)):
            if len(set(values)) < len(values):
                raise ConfigError(f"{kind}: the same entry twice")
        if taken := set(self.ablations) & set(RESERVED):
            raise ConfigError(f"ablations: {sorted(taken)[0]} is the name of something else; choose another")
        if taken := set(self.models) & {*RESERVED, *ablations(), *self.ablations}:
            raise ConfigError(f"models: {sorted(taken)[0]} is the name of a policy or of the teacher; choose another")
        if self.evaluation.reference not in self.ablations:
            raise ConfigError(
                f"evaluation.reference: {self.evaluation.reference} is not among the ablations, "
                "so that nothing could be compared with it; add it there, or name one of them"
            )
        if unknown := set(self.studies.policies) - set(self.ablations):
            raise ConfigError(f"studies.policies: {sorted(unknown)[0]} is not among the ablations")
        if unknown := set(self.evaluation.comparisons) - {"base", *ablations(), *self.ablations}:
            raise ConfigError(f"evaluation.comparisons: {sorted(unknown)[0]} is neither an ablation nor base")
        if unknown := set(self.evaluation.model_comparisons) - {*RESERVED, *self.models}:
            raise ConfigError(f"evaluation.model_comparisons: {sorted(unknown)[0]} is neither under models nor base")

    def section(self, name: str, only: Iterable[str] = ()) -> str:
        """One section, or only some of its keys, as JSON with sorted keys."""
        content = getattr(self, name).model_dump(mode="json", by_alias=True, include=set(only) or None)
        return json.dumps(content, sort_keys=True)


def merged(*contents: Mapping[str, Any]) -> dict[str, Any]:
    """Configurations one over the other, as Snakemake does it: dictionaries merge key by key, all else replaces."""
    whole: dict[str, Any] = {}
    for content in contents:
        for key, value in content.items():
            known = whole.get(key)
            whole[key] = merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return whole
