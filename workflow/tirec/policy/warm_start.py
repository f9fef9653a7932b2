"""Teaching a fresh tiny model the protocol from demonstrations."""

import sys
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from tqdm import trange
from transformers import PreTrainedModel

from tirec.agent.cases import Cases
from tirec.agent.prompt import ChatProtocol
from tirec.config.agent import ProtocolConfig
from tirec.config.policy import WarmStartConfig
from tirec.policy.demonstrations import Demonstration, Demonstrator
from tirec.policy.likelihood import written

STEPS_PER_BLOCK = 8
"""Demonstrations of this many steps are drawn together and put into batches of like length, which saves padding."""
RAMP_STEPS = 20
GRADIENT_NORM = 1.0


def warm_start(
    model: PreTrainedModel,
    protocol: ChatProtocol,
    cases: Cases,
    rules: ProtocolConfig,
    config: WarmStartConfig,
    seed: int,
) -> list[float]:
    """Trains `model` in place on `config.steps` batches of demonstrations over `cases`; returns the loss of each step."""
    random = np.random.default_rng(seed)
    demonstrator = Demonstrator(protocol, rules, config, random)
    batches = _batches(demonstrator, cases, config.batch, random)
    optimizers = _optimizers(model, config)
    weight = _token_weights(protocol, config.digit_weight)
    losses = []
    for step in trange(config.steps, desc="warm start", mininterval=5, file=sys.stderr):
        share = min(1, (step + 1) / RAMP_STEPS) * (1 - (1 - config.final_share) * step / config.steps)
        losses.append(_step(model, next(batches), optimizers, weight, share))
    return losses


def _batches(
    demonstrator: Demonstrator, cases: Cases, size: int, random: np.random.Generator
) -> Iterator[Sequence[Demonstration]]:
    while True:
        chosen = random.choice(cases.ids, STEPS_PER_BLOCK * size)
        drawn = sorted((demonstrator.demonstrate(cases[int(one)]) for one in chosen), key=lambda one: len(one.ids))
        for start in random.permutation(STEPS_PER_BLOCK) * size:
            yield drawn[start : start + size]


def _optimizers(model: PreTrainedModel, config: WarmStartConfig) -> list[torch.optim.Optimizer]:
    """Muon on the matrices (with AdamW alone, so few steps teach no reading), AdamW on embeddings and norms."""
    matrices = [weight for name, weight in model.named_parameters() if weight.ndim == 2 and "embed" not in name]
    others = [weight for name, weight in model.named_parameters() if weight.ndim != 2 or "embed" in name]
    return [
        torch.optim.Muon(matrices, lr=config.matrix_rate, weight_decay=0.0, momentum=0.95),
        torch.optim.AdamW(others, lr=config.rate, weight_decay=0.0, betas=(0.9, 0.98)),
    ]


def _token_weights(protocol: ChatProtocol, digit_weight: float) -> torch.Tensor:
    vocabulary = protocol.tokenizer.get_vocab()
    weights = torch.ones(max(vocabulary.values()) + 1)
    weights[[vocabulary[digit] for digit in "0123456789"]] = digit_weight
    return weights


def _step(
    model: PreTrainedModel,
    batch: Sequence[Demonstration],
    optimizers: Sequence[torch.optim.Optimizer],
    token_weights: torch.Tensor,
    share: float,
) -> float:
    """One weighted cross-entropy step at `share` of the learning rates."""
    found = written(model, [one.ids for one in batch], [one.mask for one in batch])
    weights = token_weights[found.tokens]
    loss = -(found.logprobs * weights).sum() / weights.sum()
    model.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_NORM)
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group.setdefault("full_rate", group["lr"])
            group["lr"] = group["full_rate"] * share
        optimizer.step()
    return float(loss.detach())
