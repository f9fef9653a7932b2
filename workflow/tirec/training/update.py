"""One optimizer update (or several, by minibatches) from a step's samples."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor
from torch.optim import Optimizer
from transformers import PreTrainedModel

from tirec.config.training import EngineConfig
from tirec.errors import TirecError
from tirec.policy.likelihood import written
from tirec.policy.optimization import descend
from tirec.policy.trainee import Trainee
from tirec.training.grpo import Loss, Tokens, objective
from tirec.training.sample import Sample


class NonFiniteError(TirecError):
    """A loss or gradient that is not a number; names the case."""


def update(
    trainee: Trainee,
    optimizers: Sequence[Optimizer],
    samples: Sequence[Sample],
    settings: EngineConfig,
    rate_share: float,
    seed: int,
) -> dict[str, float]:
    """Updates the trainee in place; what to log of it, as means over the written tokens. Without samples, nothing.

    Raises NonFiniteError before the minibatch concerned changes any weight.
    """
    if not samples:
        return {}
    with _in_training(trainee.model, settings, seed):
        return _update(trainee, optimizers, samples, settings, rate_share, seed)


@contextmanager
def _in_training(model: PreTrainedModel, settings: EngineConfig, seed: int) -> Iterator[None]:
    """Switches the adapters' dropout and gradient checkpointing on; without either, a forward pass is a rollout's."""
    if not (settings.lora or settings.local.gradient_checkpointing):
        yield
        return
    torch.manual_seed(seed)
    model.train()
    try:
        yield
    finally:
        model.eval()


def _update(
    trainee: Trainee,
    optimizers: Sequence[Optimizer],
    samples: Sequence[Sample],
    settings: EngineConfig,
    rate_share: float,
    seed: int,
) -> dict[str, float]:
    order = np.random.default_rng(seed).permutation(len(samples))
    sums = np.zeros(4)
    lengths = []
    for part in np.array_split(order, settings.optimizer.minibatches):
        minibatch = [samples[index] for index in part]
        sums += _accumulate(trainee, minibatch, settings)
        try:
            lengths.append(descend(trainee.model, optimizers, rate_share, settings.optimizer.gradient_norm))
        except FloatingPointError as fault:
            raise NonFiniteError(f"{fault}; among the cases of this step: {_cases(minibatch)}") from None
    tokens = sum(sample.written for sample in samples)
    logged = dict(zip(("loss", "kl", "entropy", "clip_fraction"), (sums / tokens).tolist(), strict=True))
    return {**logged, "grad_norm": float(np.mean(lengths))}


def _accumulate(trainee: Trainee, minibatch: Sequence[Sample], settings: EngineConfig) -> np.ndarray:
    """Gradients of the token-mean objective of a minibatch; sums over tokens of loss, KL, entropy and clipped."""
    tokens = sum(sample.written for sample in minibatch)
    sums = np.zeros(4)
    for batch in _of_like_length(minibatch, settings.local.micro_batch):
        loss = objective(_tokens(trainee, batch, settings.temperature), settings.objective)
        _require_finite(loss, batch)
        (loss.total / tokens).backward()
        sums += [float(value.detach()) for value in (loss.total, loss.kl, loss.entropy, loss.clipped)]
    return sums


def _of_like_length(samples: Sequence[Sample], size: int) -> Iterator[Sequence[Sample]]:
    """Micro-batches of samples of like length: less padding, the same gradient."""
    ordered = sorted(samples, key=lambda sample: len(sample.ids))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]


def _tokens(trainee: Trainee, batch: Sequence[Sample], temperature: float) -> Tokens:
    """Everything the objective needs of the written tokens, row by row; supervised samples need no reference."""
    ids, masks = [sample.ids for sample in batch], [sample.mask for sample in batch]
    new = written(trainee.model, ids, masks, temperature)
    compared = trainee.reference if any(sample.loss == "policy" for sample in batch) else None
    with torch.no_grad():
        reference = written(compared, ids, masks, temperature).logprobs if compared is not None else None
    old = [logprob for sample in batch for logprob, own in zip(sample.logprobs, sample.mask, strict=True) if own]
    counts = torch.tensor([sample.written for sample in batch], device=new.logprobs.device)

    def spread(values: Sequence[float]) -> Tensor:
        return torch.tensor(values, device=counts.device).repeat_interleave(counts)

    return Tokens(
        new=new.logprobs,
        old=torch.tensor(old, device=counts.device),
        base=reference,
        entropy=new.entropy,
        advantage=spread([sample.advantage for sample in batch]),
        weight=spread([sample.weight for sample in batch]),
        supervised=spread([sample.loss == "cross_entropy" for sample in batch]),
    )


def _require_finite(loss: Loss, batch: Sequence[Sample]) -> None:
    if torch.isfinite(loss.per_token).all():
        return
    rows = loss.per_token.split([sample.written for sample in batch])
    bad = next(sample for sample, row in zip(batch, rows, strict=True) if not torch.isfinite(row).all())
    raise NonFiniteError(f"the loss of instance {bad.case} is not a number")


def _cases(samples: Sequence[Sample]) -> str:
    return ", ".join(str(case) for case in sorted({sample.case for sample in samples})[:20])
