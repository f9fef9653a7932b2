"""Rewards of LA-CDM, pure: of a dialogue (diagnosis, format, cost, match) and of a stated confidence."""

from collections.abc import Collection
from dataclasses import dataclass
from math import log

from tirec.agent.reward import match_part
from tirec.config.lacdm_training import ConfidenceRewardConfig, DecisionRewardConfig


@dataclass(frozen=True, slots=True)
class DecisionReward:
    """Parts of a dialogue's reward as they enter its sum; the cost counts against it."""

    diagnosis: float
    format: float
    cost: float
    match: float

    @property
    def total(self) -> float:
        """The reward."""
        return self.diagnosis + self.format - self.cost + self.match


def decision_reward(
    predicted: str | None,
    condition: str,
    penalty: float,
    provided: Collection[str],
    reference: Collection[str],
    config: DecisionRewardConfig,
) -> DecisionReward:
    """The reward of a finished dialogue; `penalty` is its bill as a share of the whole menu's price."""
    right = config.correct if predicted == condition else config.wrong
    return DecisionReward(
        diagnosis=config.missing if predicted is None else right,
        format=config.invalid if predicted is None else config.valid,
        cost=config.cost * penalty,
        match=config.match * match_part(provided, reference) if config.match else 0.0,
    )


def confidence_reward(confidence: int | None, right: bool, config: ConfidenceRewardConfig) -> float:
    """The clipped log score of a confidence 0-10, rescaled so that ln(floor) gives -1 and ln(1) gives +1."""
    if confidence is None:
        return config.unreadable
    stated = confidence / 10 if right else 1 - confidence / 10
    return 1 - 2 * log(max(stated, config.floor)) / log(config.floor)
