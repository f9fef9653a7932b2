"""Optimizers of small and large causal language models, and their learning-rate ramp."""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

import torch
from torch.optim import AdamW, Muon, Optimizer
from transformers import PreTrainedModel


class Rates(NamedTuple):
    """Learning rates and decay; Muon takes the weight matrices where `matrix_rate` is given."""

    rate: float
    matrix_rate: float | None = None
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.98)


def optimizers(model: PreTrainedModel, rates: Rates) -> list[Optimizer]:
    """AdamW on all that is trained, or Muon on the matrices inside the blocks and AdamW on embeddings and norms."""
    named = [(name, weight) for name, weight in model.named_parameters() if weight.requires_grad]
    matrices = [weight for name, weight in named if rates.matrix_rate and weight.ndim == 2 and "embed" not in name]
    taken = set(map(id, matrices))
    others = [weight for _, weight in named if id(weight) not in taken]
    found: list[Optimizer] = [AdamW(others, lr=rates.rate, weight_decay=rates.weight_decay, betas=rates.betas)]
    if rates.matrix_rate:
        found.append(Muon(matrices, lr=rates.matrix_rate, weight_decay=rates.weight_decay, momentum=0.95))
    return found


def share_of_rate(step: int, steps: int, ramp: int, final: float) -> float:
    """Share of the full learning rate at `step` (from 0): a linear ramp, then linearly down to `final`."""
    return min(1.0, (step + 1) / max(1, ramp)) * (1 - (1 - final) * step / steps)


def descend(model: PreTrainedModel, chosen: Sequence[Optimizer], share: float, longest_gradient: float) -> float:
    """One step along the gradients that were accumulated, at `share` of the learning rates; the gradient's length.

    Raises FloatingPointError before any weight changes where the gradient is not finite.
    """
    length = float(torch.nn.utils.clip_grad_norm_(model.parameters(), longest_gradient))
    if not isfinite(length):
        raise FloatingPointError(f"the gradient's length is {length}")
    for optimizer in chosen:
        for group in optimizer.param_groups:
            group["lr"] = group.setdefault("full_rate", group["lr"]) * share
        optimizer.step()
        optimizer.zero_grad()
    return length
