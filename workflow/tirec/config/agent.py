"""The protocol, the reward and the skill curriculum."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tirec.config.base import Model

REPOSITORY = Path(__file__).resolve().parents[3]


def _yaml_off(value: object) -> object:
    """YAML reads a bare `off` as false."""
    return "off" if value is False else value


class ProtocolConfig(Model):
    """What an agent may do between the initial view and its probability."""

    calls: int = Field(default=12, ge=0)
    """Clinical-function calls an episode may make (K)."""
    after_budget: Literal["answer_turn", "end"] = "answer_turn"
    """After the last call: one fixed sentence and one more turn, or the end (appendix B.2 to the letter)."""
    prompt_tokens: int = Field(default=6144, ge=1)
    """Longest prompt in tokens; a longer one stops the run and names the case, nothing is cut."""
    response_tokens: int = Field(default=8192, ge=1)
    """Tokens after the prompt, the model's and the observations' together."""
    prompts: str = "config/prompts"
    """Folder of the prompt templates; a relative path counts from the repository."""

    def prompts_folder(self) -> Path:
        """The absolute folder of the prompt templates."""
        return REPOSITORY / self.prompts


class RewardConfig(Model):
    """R = wf·format + wc·(alpha·prediction + (1 - alpha)·match) + we·execution."""

    weight_format: float = Field(default=0.1, ge=0)
    """Weight of a clean protocol."""
    weight_correctness: float = Field(default=0.8, ge=0)
    """Weight of prediction and function match together."""
    weight_execution: float = Field(default=0.1, ge=0)
    """Weight of the share of calls that ran."""
    alpha: float = Field(default=0.7, ge=0, le=1)
    """Share of the prediction part in correctness; 1 removes function matching."""
    target: Literal["mixed", "label"] = "mixed"
    """What a probability is compared with: label and out-of-fold teacher risk, or the label alone."""
    label_share: float = Field(default=0.5, ge=0, le=1)
    """Share of the label in a mixed target."""
    prediction: Literal["absolute", "squared"] = "absolute"
    """Form of the prediction error."""
    weight_cost: float = Field(default=0.0, ge=0)
    """Weight of the price of the functions that ran, taken off the total; 0 in the paper."""
    prices: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Price of each function, in any unit: the cost is a share of the sum of all; a function without one is free."""


class SkillsConfig(Model):
    """The reverse curriculum: every sentence at first, none at the end."""

    retention: Annotated[Literal["curriculum", "off"], BeforeValidator(_yaml_off)] = "curriculum"
    """Whether training prompts carry skill sentences at all."""
    interval: int = Field(default=20, ge=1)
    """Optimizer steps between two decreases (Δ)."""
    decrement: float = Field(default=0.05, gt=0, le=1)
    """Decrease of the retention probability at each interval (δ)."""


class ScheduleConfig(Model):
    """What the order of cases and the curriculum of a training run depend on, besides its seed."""

    steps: int = Field(default=500, ge=1)
    """Optimizer steps."""
    prompts_per_step: int = Field(default=64, ge=1)
    """Cases per optimizer step."""
    skills: SkillsConfig = SkillsConfig()
    """The curriculum."""


class AgentConfig(Model):
    """What an episode is played and judged by."""

    protocol: ProtocolConfig = ProtocolConfig()
    """The protocol."""
    reward: RewardConfig = RewardConfig()
    """The reward."""
