"""How LA-CDM is trained; composed by Hydra from config/lacdm/ (config.yaml = the published values)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from tirec.config.agent import REPOSITORY
from tirec.config.base import Model
from tirec.config.lacdm_agents import Cast
from tirec.config.training import EngineConfig, composed

CDM_FOLDER = REPOSITORY / "config" / "lacdm"
Objective = Literal["decision", "hypothesis", "confidence"]


class DecisionRewardConfig(Model):
    """Reward of a dialogue: diagnosis + format - cost, and where wanted the match with a reference set of tests."""

    correct: float = 1.0
    """Diagnosis is the condition."""
    wrong: float = 0.0
    """Diagnosis is another one."""
    missing: float = 0.0
    """No diagnosis."""
    valid: float = 1.0
    """The dialogue ended with a diagnosis, in the protocol."""
    invalid: float = 0.0
    """It ended otherwise."""
    cost: float = Field(default=1.0, ge=0)
    """Weight of the bill as a share of the whole menu's price; 0 = no cost reward."""
    match: float = Field(default=0.0, ge=0)
    """Weight of the F1 of the tests that gave results against the tree teacher's reference set (the other system's
    reward)."""


class ConfidenceRewardConfig(Model):
    """Log score of a stated confidence, rescaled linearly so that certainty gives -1 or +1."""

    floor: float = Field(default=0.001, gt=0, lt=0.5)
    """Least probability whose logarithm is taken."""
    unreadable: float = -1.0
    """Anything that is not exactly one of 0, 1, …, 10."""


class PhasesConfig(Model):
    """Optimizer steps of each objective within a cycle; 0 leaves it out."""

    decision: int = Field(default=100, ge=0)
    """Decision agent: GRPO."""
    hypothesis: int = Field(default=100, ge=0)
    """Hypothesis agent: cross-entropy on the condition, not on the confidence."""
    confidence: int = Field(default=100, ge=0)
    """Hypothesis agent: GRPO on the stated confidence alone."""
    together: bool = False
    """Every objective with steps at every step, instead of in turn."""


class CdmTrainingConfig(EngineConfig):
    """One policy of LA-CDM, fully resolved."""

    cast: Cast = "two"
    """Who plays, in training and evaluation."""
    trained: bool = True
    """Whether anything is trained at all; the base itself otherwise."""
    patients_per_step: int = Field(default=1, ge=1)
    """Cases per optimizer step, with `group_size` dialogues each."""
    phases: PhasesConfig = PhasesConfig()
    """The cycle of objectives."""
    decision: DecisionRewardConfig = DecisionRewardConfig()
    """Reward of dialogues."""
    confidence: ConfidenceRewardConfig = ConfidenceRewardConfig()
    """Reward of stated confidences."""
    placeholder: int = Field(default=0, ge=0, le=10)
    """What stands at the confidence's position in a supervised target; nothing is learned there."""
    loss_tokens: int | None = Field(default=4096, ge=1)
    """Length by which the GRPO losses are divided, per sample (dr_grpo); empty = mean over the written tokens."""
    selection: Literal["last", "mean_accuracy"] = "last"
    """Checkpoint that is kept: the last (published: no best-model reload), or the one with the highest mean accuracy on
    validation, ties to the lower cost."""
    validation_cases: int | None = Field(default=None, ge=1)
    """Validation cases judged at a checkpoint, spread evenly over the list; all where empty."""


def compose_cdm(ablation: str, overrides: Mapping[str, Any], folder: Path = CDM_FOLDER) -> CdmTrainingConfig:
    """The resolved settings of one policy of LA-CDM in a study with `overrides`."""
    return composed(CdmTrainingConfig, ablation, overrides, folder)
