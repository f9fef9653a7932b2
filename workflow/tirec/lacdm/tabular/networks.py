"""Small networks on masked laboratory values, fitted on random subsets of what was ordered."""

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from tirec.config.lacdm import CONDITIONS, CdmTabularConfig
from tirec.lacdm.tabular.lab_cases import Flags, LabCases

BATCH = 256


def perceptron(width: int, hidden: int, out: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(
        nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, out)
    )


def masked_input(values: np.ndarray, known: Flags) -> torch.Tensor:
    """(n, 2 d): values with 0 where not known, then what is known."""
    filled = np.where(known, np.nan_to_num(values), 0.0)
    return torch.from_numpy(np.concatenate([filled, known], axis=1).astype(np.float32))


def class_weights(label: np.ndarray) -> np.ndarray:
    """Weights that make every condition count alike; their mean over the cases is 1."""
    counts = np.bincount(label, minlength=len(CONDITIONS)).clip(min=1)
    return (len(label) / (len(CONDITIONS) * counts)).astype(np.float32)


def random_orders(rng: np.random.Generator, cases: LabCases) -> Flags:
    """(n, P) panels that might have been ordered: each case with its own share of them."""
    n, panels = cases.available.shape
    return np.asarray(rng.random((n, panels)) < rng.random((n, 1)))


def fit(module: nn.Module, rows: int, draw: Callable[[], "Loss"], rules: CdmTabularConfig) -> None:
    """Minimises, epoch by epoch, the loss that `draw` gives for that epoch."""
    optimizer = torch.optim.AdamW(module.parameters(), lr=rules.network_rate, weight_decay=rules.weight_decay)
    for _ in range(rules.fit_epochs):
        loss = draw()
        for batch in torch.randperm(rows).split(BATCH):
            optimizer.zero_grad()
            loss(batch).backward()
            optimizer.step()


Loss = Callable[[torch.Tensor], torch.Tensor]
"""The loss of a batch of row numbers."""
