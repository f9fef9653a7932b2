"""Group-relative advantages for verl: one implementation of the rule, `tirec.training.grpo.advantages`."""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from verl.trainer.ppo.core_algos import register_adv_est

from tirec.config.training import ObjectiveConfig
from tirec.training.grpo import advantages


def register(name: str, rules: ObjectiveConfig) -> None:
    """Makes `rules` the advantage estimator `name` of this process."""

    def estimator(
        token_level_rewards: Tensor, response_mask: Tensor, index: np.ndarray, **_: Any
    ) -> tuple[Tensor, Tensor]:
        """Advantages and returns (B, T); all rewards of a row are summed, groups are rows with one index."""
        return (spread(token_level_rewards, response_mask, index, rules),) * 2

    register_adv_est(name)(estimator)


def spread(rewards: Tensor, response_mask: Tensor, index: np.ndarray, rules: ObjectiveConfig) -> Tensor:
    """Each row's advantage on its written tokens, (B, T)."""
    totals = rewards.sum(-1).double()
    groups = torch.tensor(np.unique(index.astype(str), return_inverse=True)[1], device=totals.device)
    return advantages(totals, groups, rules).to(rewards.dtype)[:, None] * response_mask
