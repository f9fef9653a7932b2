"""The GRPO objective as pure functions of tensors; equal to verl's `core_algos` on the same tensors.

Every per-token tensor here is flat, (N,), and holds written tokens only: observations never enter.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tirec.config.training import ObjectiveConfig

LOG_RATIO_LIMIT = 20.0
KL_LIMIT = 10.0


@dataclass(frozen=True)
class Loss:
    """The objective of one micro-batch, as sums over its tokens, and what to log of it."""

    per_token: Tensor
    total: Tensor
    kl: Tensor
    entropy: Tensor
    clipped: Tensor


def advantages(rewards: Tensor, groups: Tensor, rules: ObjectiveConfig) -> Tensor:
    """Reward of each episode against its own group: (r - mean) / std, ddof 1; exactly 0 where all rewards agree.

    rewards, groups: (B,), one entry per episode. A group of one has nothing to compare with and gets 0.
    """
    result = torch.zeros_like(rewards)
    for group in groups.unique():
        members = groups == group
        result[members] = _within_group(rewards[members], rules)
    return result


def _within_group(rewards: Tensor, rules: ObjectiveConfig) -> Tensor:
    if zero_variance(rewards):
        return torch.zeros_like(rewards)
    centred = rewards - rewards.mean()
    if not rules.normalise_by_std:
        return centred
    return centred / (rewards.std(correction=1) + max(rules.advantage_eps, rules.advantage_floor))


def zero_variance(rewards: Tensor) -> bool:
    """Whether a group's rewards are all the same, so that it can teach nothing."""
    return bool((rewards == rewards[0]).all())


def policy_terms(new: Tensor, old: Tensor, advantage: Tensor, rules: ObjectiveConfig) -> tuple[Tensor, Tensor]:
    """Clipped surrogate per token and where the upper or lower clip bound; asymmetric clip, dual clip below 0.

    new, old, advantage: (N,). The dual clip bounds the loss of a token with negative advantage whose ratio exploded.
    """
    ratio = (new - old).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT).exp()
    plain = -advantage * ratio
    clipped = -advantage * ratio.clamp(1 - rules.clip_low, 1 + rules.clip_high)
    bounded = torch.maximum(plain, clipped)
    negative = torch.minimum(bounded, -advantage * rules.dual_clip)
    return torch.where(advantage < 0, negative, bounded), clipped > plain


def k3(new: Tensor, base: Tensor) -> Tensor:
    """Low-variance estimate of KL(policy || base) per token (Schulman's k3): never negative."""
    log_ratio = (base - new).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
    return (log_ratio.exp() - log_ratio - 1).clamp(-KL_LIMIT, KL_LIMIT)


@dataclass(frozen=True)
class Tokens:
    """The written tokens of a micro-batch, (N,) each.

    `base` is absent where the KL coefficient is 0; `supervised` marks tokens of cross-entropy samples, whose only term
    is their log-probability.
    """

    new: Tensor
    old: Tensor
    base: Tensor | None
    entropy: Tensor
    advantage: Tensor
    weight: Tensor
    supervised: Tensor


def objective(tokens: Tokens, rules: ObjectiveConfig) -> Loss:
    """Sums over tokens; divided by the batch's number of written tokens they are the token-mean objective."""
    surrogate, clipped = policy_terms(tokens.new, tokens.old, tokens.advantage, rules)
    divergence = k3(tokens.new, tokens.base) if tokens.base is not None else torch.zeros_like(tokens.new)
    policy = surrogate + rules.kl * divergence - rules.entropy * tokens.entropy
    per_token = torch.where(tokens.supervised, -tokens.new, policy)
    return Loss(
        per_token=per_token.detach(),
        total=(tokens.weight * per_token).sum(),
        kl=divergence.detach().sum(),
        entropy=tokens.entropy.detach().sum(),
        clipped=(clipped & ~tokens.supervised).detach().sum(),
    )
