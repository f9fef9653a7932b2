"""Teaching a fresh tiny model the protocol from demonstrations."""

import sys
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from tqdm import trange
from transformers import PreTrainedModel

from tirec.agent.cases import Cases
from tirec.agent.prompt import ChatProtocol
from tirec.config.agent import ProtocolConfig
from tirec.config.policy import TeachingConfig, WarmStartConfig
from tirec.policy.demonstrations import Demonstration, Demonstrator
from tirec.policy.likelihood import written
from tirec.policy.optimization import Rates, descend, optimizers, share_of_rate
from tirec.policy.reading import level

STEPS_PER_BLOCK = 8
"""Demonstrations of this many steps are drawn together and put into batches of like length, which saves padding."""
RAMP_STEPS = 20
LONGEST_GRADIENT = 1.0


def warm_start(
    model: PreTrainedModel,
    protocol: ChatProtocol,
    cases: Cases,
    rules: ProtocolConfig,
    config: WarmStartConfig,
    seed: int,
) -> list[float]:
    """Trains `model` in place on batches of demonstrations over `cases`; returns the loss of each step."""
    random = np.random.default_rng(seed)
    demonstrator = Demonstrator(protocol.tokenizer, rules, config, random)
    return teach(model, _batches(demonstrator, cases, config.batch, random), config, protocol.tokenizer.get_vocab())


def teach(
    model: PreTrainedModel,
    batches: Iterator[Sequence[Demonstration]],
    config: TeachingConfig,
    vocabulary: Mapping[str, int],
) -> list[float]:
    """Trains `model` in place on one batch of demonstrations per step; returns the loss of each step."""
    # With AdamW alone, so few steps teach no reading at all.
    chosen = optimizers(model, Rates(config.rate, config.matrix_rate))
    weight = _token_weights(vocabulary, config.digit_weight)
    losses = []
    for step in trange(config.steps, desc="warm start", mininterval=5, file=sys.stderr):
        loss = _loss(model, next(batches), weight)
        loss.backward()
        descend(model, chosen, share_of_rate(step, config.steps, RAMP_STEPS, config.final_share), LONGEST_GRADIENT)
        losses.append(float(loss.detach()))
    return losses


def _batches(
    demonstrator: Demonstrator, cases: Cases, size: int, random: np.random.Generator
) -> Iterator[Sequence[Demonstration]]:
    weights = _eventfulness(cases)
    while True:
        chosen = random.choice(cases.ids, STEPS_PER_BLOCK * size, p=weights)
        drawn = sorted((demonstrator.demonstrate(cases[int(one)]) for one in chosen), key=lambda one: len(one.ids))
        for start in random.permutation(STEPS_PER_BLOCK) * size:
            yield drawn[start : start + size]


def _eventfulness(cases: Cases) -> np.ndarray:
    """Probability of each case to be demonstrated: where most headlines say NORMAL there is little to learn to read."""
    alarm = np.array([1 + sum(max(0.0, level(text).severity) for text in case.texts.values()) for case in cases])
    return alarm / alarm.sum()


def _token_weights(vocabulary: Mapping[str, int], digit_weight: float) -> torch.Tensor:
    weights = torch.ones(max(vocabulary.values()) + 1)
    weights[[vocabulary[digit] for digit in "0123456789"]] = digit_weight
    return weights


def _loss(model: PreTrainedModel, batch: Sequence[Demonstration], token_weights: torch.Tensor) -> torch.Tensor:
    """Weighted cross-entropy of the demonstrated tokens."""
    found = written(model, [one.ids for one in batch], [one.mask for one in batch])
    weights = token_weights[found.tokens]
    return -(found.logprobs * weights).sum() / weights.sum()
