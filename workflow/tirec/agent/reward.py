"""The reward of a finished episode: three parts, each a number in [0, 1], pure and recomputable from what was saved."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tirec.agent.cases import Case
from tirec.agent.environment import RAN, Outcome
from tirec.agent.episode import EpisodeRecord, Finish
from tirec.config.agent import RewardConfig
from tirec.errors import TirecError
from tirec.evidence.menu import REWARDABLE

_CLEAN = RAN | {Outcome.REPEATED}


class RewardError(TirecError):
    """A reward that is not a finite number; names the case."""


@dataclass(frozen=True, slots=True)
class RewardParts:
    """Each part in [0, 1] before its weight, and the weighted total, from which a cost may have been taken off."""

    format: float
    prediction: float
    match: float
    execution: float
    total: float


def score(episode: EpisodeRecord, case: Case, config: RewardConfig) -> RewardParts:
    """The reward of one episode; raises RewardError naming the case if any part is not finite."""
    form = format_part(episode)
    prediction = prediction_part(episode, case, config)
    match = match_part(called(episode), case.reference)
    execution = execution_part(episode)
    correctness = config.alpha * prediction + (1 - config.alpha) * match
    total = config.weight_format * form + config.weight_correctness * correctness + config.weight_execution * execution
    total -= config.weight_cost * cost_part(episode, config.prices) if config.weight_cost else 0.0
    if not math.isfinite(total + target(case, config)):
        raise RewardError(
            f"the reward of instance {case.instance_id} is {total}; its label or teacher risk is not a number"
        )
    return RewardParts(form, prediction, match, execution, total)


def format_part(episode: EpisodeRecord) -> float:
    """1 for clean turns, clean calls and one answer at the very end, else 0."""
    clean_turns = not any(turn.faults for turn in episode.turns)
    clean_calls = all(call.outcome in _CLEAN for call in episode.calls)
    return float(clean_turns and clean_calls and episode.finish is Finish.ANSWERED)


def prediction_part(episode: EpisodeRecord, case: Case, config: RewardConfig) -> float:
    """1 minus the error of p against the target; 0 without an answer."""
    if episode.p is None:
        return 0.0
    error = abs(episode.p - target(case, config))
    return 1 - (error if config.prediction == "absolute" else error * error)


def target(case: Case, config: RewardConfig) -> float:
    """What p is compared with: the label, or its mix with the out-of-fold teacher risk."""
    if config.target == "label":
        return float(case.label)
    risk = math.nan if case.risk is None else case.risk
    return config.label_share * case.label + (1 - config.label_share) * risk


def called(episode: EpisodeRecord) -> frozenset[str]:
    """The distinct rewardable functions that ran."""
    return frozenset(
        call.function for call in episode.calls if call.outcome in RAN and call.function in REWARDABLE and call.function
    )


def match_part(functions: Collection[str], reference: Collection[str]) -> float:
    """F1 of the functions called against the reference set; 0 if either is empty."""
    hits = len(set(functions) & set(reference))
    return 2 * hits / (len(functions) + len(reference)) if hits else 0.0


def cost_part(episode: EpisodeRecord, prices: Mapping[str, float]) -> float:
    """Price of the distinct functions that ran, as a share of the price of all."""
    ran = {call.function for call in episode.calls if call.outcome in RAN}
    whole = sum(prices.values())
    return sum(price for name, price in prices.items() if name in ran) / whole if whole else 0.0


def execution_part(episode: EpisodeRecord) -> float:
    """Share of calls that ran; 0 without calls."""
    ran = sum(call.outcome in RAN for call in episode.calls)
    return ran / len(episode.calls) if episode.calls else 0.0
