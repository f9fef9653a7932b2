"""A policy over laboratory groups after ED-Copilot (Sun et al., ICML 2024): learn the order, then learn to stop.

As published: a first, supervised stage in which one encoder learns from clinicians' orders which group comes next and
what the outcome is; a second stage of proximal policy optimisation on the frozen encoder, in which only groups that
were performed may be chosen. Different here: the encoder reads values instead of serialised text (a perceptron instead
of BioGPT); the order is that of the rows in the file, because MIMIC-CDM has no times; the cost is the menu's price
instead of minutes; four conditions instead of critical outcomes. The mask of performed groups knows the record before
anything was ordered, as in the original: read its numbers with that in mind.
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from tirec.config.lacdm import CONDITIONS, CdmTabularConfig
from tirec.lacdm.tabular import networks
from tirec.lacdm.tabular.lab_cases import Flags, LabCases
from tirec.lacdm.tabular.ordering import Senses, seen_tensor
from tirec.lacdm.tabular.ppo import States

ONLY_PERFORMED = True
OUTCOME_WEIGHT = 10.0
"""Weight of the outcome against the next group, as published."""


class Encoder(nn.Module):
    """What has been resulted, as a vector from which the next group and the outcome are read."""

    def __init__(self, columns: int, panels: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(networks.perceptron(2 * columns + panels, hidden, hidden), nn.Tanh())
        self.next_group, self.outcome = nn.Linear(hidden, panels), nn.Linear(hidden, len(CONDITIONS))


def senses(cases: LabCases, rules: CdmTabularConfig) -> Senses:
    """The supervised stage; the policy sees the frozen encoder's vector and what was ordered."""
    torch.manual_seed(rules.seed)
    encoder = Encoder(cases.values.shape[1], len(cases.panels), rules.hidden)
    _fit_encoder(encoder, cases.of("train"), rules)

    def read(some: LabCases, rows: np.ndarray, seen: Flags) -> torch.Tensor:
        with torch.no_grad():
            return encoder.body(_input(some, rows, seen))

    def states(some: LabCases) -> States:
        return lambda rows, seen: torch.cat([read(some, rows, seen), seen_tensor(seen)], dim=1)

    def probabilities(some: LabCases, rows: np.ndarray, seen: Flags) -> np.ndarray:
        with torch.no_grad():
            return encoder.outcome(read(some, rows, seen)).softmax(1).numpy()

    return Senses(states, probabilities)


def _input(some: LabCases, rows: np.ndarray, seen: Flags) -> torch.Tensor:
    masked = networks.masked_input(some.values[rows], some.known(rows, seen))
    return torch.cat([masked, seen_tensor(seen)], dim=1)


def _fit_encoder(encoder: Encoder, train: LabCases, rules: CdmTabularConfig) -> None:
    """Random prefixes of each case's order: which group comes next, and what the condition is."""
    rng = np.random.default_rng(rules.seed)
    every = np.arange(len(train.label))
    label, weights = torch.from_numpy(train.label), torch.from_numpy(networks.class_weights(train.label))

    def draw() -> networks.Loss:
        seen, following = prefixes(rng, train)
        state, target = _input(train, every, seen), torch.from_numpy(following)

        def loss(rows: torch.Tensor) -> torch.Tensor:
            inner = encoder.body(state[rows])
            outcome = F.cross_entropy(encoder.outcome(inner), label[rows], weights)
            ahead = target[rows] >= 0
            if not ahead.any():
                return OUTCOME_WEIGHT * outcome
            return OUTCOME_WEIGHT * outcome + F.cross_entropy(encoder.next_group(inner)[ahead], target[rows][ahead])

        return loss

    networks.fit(encoder, len(train.label), draw, rules)


def prefixes(rng: np.random.Generator, train: LabCases) -> tuple[Flags, np.ndarray]:
    """Panels (n, P) of a random beginning of each case's order, and the panel that follows (-1 at the end)."""
    order = np.argsort(np.where(train.available, train.first, np.inf), axis=1, kind="stable")
    count = train.available.sum(1)
    length = (rng.random(len(count)) * (count + 1)).astype(int)
    place = np.argsort(order, axis=1)
    seen = train.available & (place < length[:, None])
    last = length >= count
    return seen, np.where(last, -1, order[np.arange(len(count)), np.where(last, 0, length)])
