"""Log-probabilities of the tokens a model wrote, in one forward pass over whole sequences."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedModel

from tirec.policy.trainee import Reference


class Written(NamedTuple):
    """Of every written token of a batch, row by row: (N,) each."""

    tokens: Tensor
    logprobs: Tensor
    entropy: Tensor


def written(
    model: PreTrainedModel | Reference,
    ids: Sequence[Sequence[int]],
    masks: Sequence[Sequence[int]],
    temperature: float = 1.0,
) -> Written:
    """Log-probability and entropy of the tokens where `masks` is 1, given everything before them in their row.

    Rows are padded on the right, where causal attention cannot see it, so a row's numbers are its own.
    """
    tokens, mask = _padded(ids, model.device), _padded(masks, model.device).bool()
    predicted, mask = tokens[:, 1:], mask[:, 1:]
    columns = mask.any(0).nonzero()[:, 0]  # the prompt's columns need no logits
    logits = model(input_ids=tokens, use_cache=False, logits_to_keep=columns).logits  # (B, C, V)
    chosen = mask[:, columns]
    logprobs = (logits[chosen].float() / temperature).log_softmax(-1)  # (N, V)
    targets = predicted[:, columns][chosen]
    own = logprobs.gather(1, targets[:, None])[:, 0]
    return Written(targets, own, -(logprobs.exp() * logprobs).sum(-1))


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=device)
