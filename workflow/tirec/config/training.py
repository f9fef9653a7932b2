"""How a policy is trained; composed by Hydra from config/grpo/ without importing torch.

Precedence: the published values in `config.yaml`, then what the study overrides, then the ablation, so that an ablation
always means one named change of its study.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import Field

from tirec.config.agent import RewardConfig, SkillsConfig
from tirec.config.base import Model, validated
from tirec.config.policy import LoraConfig
from tirec.config.verl import PLACEMENT, VerlConfig
from tirec.errors import ConfigError

Engine = Literal["local", "verl"]
ENGINE_MODULES: Mapping[Engine, tuple[str, ...]] = {
    "local": ("tirec.training.local_engine", "tirec.training.tool_use", "tirec.policy.trainee"),
    "verl": ("tirec.training.verl_engine",),
}
"""The modules that only one engine uses; a run's code identity leaves out the other's."""
GRPO_FOLDER = Path(__file__).resolve().parents[3] / "config" / "grpo"


class ObjectiveConfig(Model):
    """The GRPO objective; where the paper is silent, as verl computes it."""

    clip_low: float = Field(default=0.2, gt=0, lt=1)
    """Lower clip of the probability ratio."""
    clip_high: float = Field(default=0.28, gt=0)
    """Upper clip of the probability ratio."""
    dual_clip: float = Field(default=3.0, gt=1)
    """Bound of the loss of a token with negative advantage, as a multiple of the advantage."""
    kl: float = Field(default=1e-4, ge=0)
    """Coefficient of the k3 divergence to the base policy."""
    entropy: float = Field(default=1e-4, ge=0)
    """Coefficient of the entropy bonus."""
    normalise_by_std: bool = True
    """Divide by the group's standard deviation; a squared-error reward is better off without."""
    advantage_eps: float = Field(default=1e-6, gt=0)
    """Added to the standard deviation (ddof = 1)."""
    advantage_floor: float = Field(default=0.0, ge=0)
    """Added instead where larger: keeps groups that nearly agree from shouting. 0 in the study."""


class OptimizerConfig(Model):
    """How weights follow the gradient."""

    name: Literal["adamw", "muon"] = "adamw"
    """`muon` uses Muon on weight matrices and AdamW on the rest."""
    learning_rate: float = Field(default=1e-6, gt=0)
    """Learning rate of AdamW."""
    matrix_rate: float = Field(default=2e-3, gt=0)
    """Learning rate of Muon, where used."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Decoupled weight decay."""
    beta1: float = 0.9
    """Decay of the first moment."""
    beta2: float = 0.999
    """Decay of the second moment."""
    ramp_steps: int = Field(default=0, ge=0)
    """Steps over which the learning rate rises from 0."""
    final_share: float = Field(default=1.0, gt=0, le=1)
    """Share of the learning rate left at the last step (linear); 1 keeps it constant."""
    gradient_norm: float = Field(default=1.0, gt=0)
    """Longest gradient."""
    minibatches: int = Field(default=1, ge=1)
    """Optimizer steps per batch of episodes; with one, the ratio is 1 and the clip does not bind."""


class LocalConfig(Model):
    """The in-process engine: one device."""

    device: Literal["auto", "cpu", "cuda"] = "auto"
    """`auto`: a GPU where there is one."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Precision of weights and arithmetic."""
    threads: int = Field(default=1, ge=1)
    """CPU threads; more than one gives up bit-for-bit repeatability."""
    micro_batch: int = Field(default=1, ge=1)
    """Sequences per forward and backward pass."""
    rollout_batch: int = Field(default=64, ge=1)
    """Episodes played at once in training."""
    validation_batch: int = Field(default=64, ge=1)
    """Episodes played at once in validation."""
    gradient_checkpointing: bool = False
    """Compute activations twice instead of keeping them: long sequences of a large model on one GPU."""


class EngineConfig(Model):
    """What the in-process engine needs to know of a run, whatever it trains on."""

    ablation: str = "full"
    """Name of the file in the folder of ablations."""
    steps: int = Field(default=500, ge=1)
    """Optimizer steps (batches of episodes)."""
    group_size: int = Field(default=8, ge=2)
    """Episodes per case (G)."""
    temperature: float = Field(default=1.0, gt=0)
    """Sampling temperature of training episodes; top-p is 1."""
    checkpoint_every: int = Field(default=10, ge=1)
    """Steps between two checkpoints, each validated."""
    objective: ObjectiveConfig = ObjectiveConfig()
    """The objective."""
    optimizer: OptimizerConfig = OptimizerConfig()
    """The optimizer."""
    local: LocalConfig = LocalConfig()
    """The local engine."""
    lora: LoraConfig | None = None
    """Low-rank adapters instead of full weights: the study's `model.lora`, never set in config/grpo/."""


class TrainingConfig(EngineConfig):
    """One ablation, fully resolved: what `policies/{policy}/seed{n}/config.yaml` records."""

    engine: Engine = "local"
    """What trains; the study's `training.engine`, the same for every ablation."""
    prompts_per_step: int = Field(default=64, ge=1)
    """Cases per step."""
    selection: Literal["best_threshold", "f1_at_half"] = "best_threshold"
    """Validation F1, on half A without skills, that selects a checkpoint per task; ties go to AUPRC, then to the
    earlier step."""
    reward: RewardConfig = RewardConfig()
    """The reward."""
    skills: SkillsConfig = SkillsConfig()
    """The skill curriculum."""
    verl: VerlConfig = VerlConfig()
    """The verl engine."""

    def told(self) -> dict[str, Any]:
        """Everything that the engine which trains is told: without the other engine's section."""
        unused: set[str] = {other for other in ENGINE_MODULES if other != self.engine}
        return self.model_dump(mode="json", exclude=unused)

    def identity(self) -> dict[str, Any]:
        """What makes a run the same run: `told` without what only decides where and how fast verl computes."""
        told = self.told()
        if self.engine == "verl":
            told["verl"] = {key: value for key, value in told["verl"].items() if key not in PLACEMENT}
        return told


def foreign_modules(engine: Engine) -> tuple[str, ...]:
    """The modules of the engines that do not train; they are no part of a run's code."""
    return tuple(module for name, modules in ENGINE_MODULES.items() if name != engine for module in modules)


Trained = TypeVar("Trained", bound=EngineConfig)


def ablations(folder: Path = GRPO_FOLDER) -> tuple[str, ...]:
    """Names of the ablations that have a file."""
    return tuple(sorted(path.stem for path in (folder / "ablation").glob("*.yaml")))


def compose(ablation: str, overrides: Mapping[str, Any], folder: Path = GRPO_FOLDER) -> TrainingConfig:
    """The resolved settings of `ablation` in a study with `overrides` (nested keys of config.yaml).

    Raises ConfigError with one line for an ablation without a file, a key that does not exist or a bad value.
    """
    return composed(TrainingConfig, ablation, overrides, folder)


def composed(kind: type[Trained], ablation: str, overrides: Mapping[str, Any], folder: Path) -> Trained:
    """The same for any engine's settings, from config.yaml and ablation/{ablation}.yaml of `folder`."""
    if ablation not in ablations(folder):
        raise ConfigError(
            f"ablation {ablation!r} has no file in {folder / 'ablation'}; there are {', '.join(ablations(folder))}"
        )
    ConfigStore.instance().store(group="study", name="overrides", node=dict(overrides), package="_global_")
    try:
        with initialize_config_dir(str(folder.resolve()), version_base="1.3"):
            found = hydra_compose("config", overrides=[f"ablation@_global_={ablation}"])
        content = OmegaConf.to_container(found, resolve=True)
    except (HydraException, OmegaConfBaseException) as fault:
        raise ConfigError(f"ablation {ablation}: {str(fault).splitlines()[0]}") from None
    try:
        return validated(kind, content).model_copy(update={"ablation": ablation})
    except ConfigError as fault:
        file = f"{folder.parent.name}/{folder.name}/ablation/{ablation}.yaml"
        raise ConfigError(f"ablation {ablation} ({file}, or the study's overrides): {fault}") from None
