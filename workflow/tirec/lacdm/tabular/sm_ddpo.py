"""A cost-aware policy over laboratory panels after SM-DDPO (Yu et al., ICLR 2023): impute, classify, then decide.

As published: three parts that share one state (an imputer of unseen values, a classifier on what it gives, a policy by
proximal policy optimisation over both), conditions weighted because they are uneven, and a grid of penalties that
traces the front of score against cost. Different here: the imputer is a denoising network instead of a normalising
flow; four conditions instead of two, so that the Lagrangian of F1 becomes inverse class frequencies; the classifier is
fitted once, on random subsets of panels, instead of in turns with the policy; prices are the menu's.
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

ONLY_PERFORMED = False


class Reader(nn.Module):
    """The imputer and the classifier."""

    def __init__(self, columns: int, hidden: int) -> None:
        super().__init__()
        self.imputer = networks.perceptron(2 * columns, hidden, columns)
        self.classifier = networks.perceptron(2 * columns, hidden, len(CONDITIONS))

    def state(self, masked: torch.Tensor) -> torch.Tensor:
        """(n, 2 d): values with the unseen ones imputed, then what is known."""
        values, known = masked.chunk(2, dim=1)
        return torch.cat([torch.where(known > 0, values, self.imputer(masked)), known], dim=1)


def senses(cases: LabCases, rules: CdmTabularConfig) -> Senses:
    """Fits imputer and classifier on the training split; the policy sees both and what was ordered."""
    torch.manual_seed(rules.seed)
    train = cases.of("train")
    reader = Reader(cases.values.shape[1], rules.hidden)
    _fit_imputer(reader, train, rules)
    _fit_classifier(reader, train, rules)

    def read(some: LabCases, rows: np.ndarray, seen: Flags) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            state = reader.state(networks.masked_input(some.values[rows], some.known(rows, seen)))
            return state, reader.classifier(state).softmax(1)

    def states(some: LabCases) -> States:
        return lambda rows, seen: torch.cat([*read(some, rows, seen), seen_tensor(seen)], dim=1)

    return Senses(states, lambda some, rows, seen: read(some, rows, seen)[1].numpy())


def _fit_imputer(reader: Reader, train: LabCases, rules: CdmTabularConfig) -> None:
    rng = np.random.default_rng(rules.seed)
    target = torch.from_numpy(np.nan_to_num(train.values))
    there = torch.from_numpy(~np.isnan(train.values))

    def draw() -> networks.Loss:
        known = train.known(np.arange(len(train.label)), networks.random_orders(rng, train))
        masked = networks.masked_input(train.values, known)

        def loss(rows: torch.Tensor) -> torch.Tensor:
            wrong = (reader.imputer(masked[rows]) - target[rows]).square() * there[rows]
            return wrong.sum() / there[rows].sum().clamp(min=1)

        return loss

    networks.fit(reader.imputer, len(train.label), draw, rules)


def _fit_classifier(reader: Reader, train: LabCases, rules: CdmTabularConfig) -> None:
    rng = np.random.default_rng(rules.seed + 1)
    label, weights = torch.from_numpy(train.label), torch.from_numpy(networks.class_weights(train.label))

    def draw() -> networks.Loss:
        known = train.known(np.arange(len(train.label)), networks.random_orders(rng, train))
        with torch.no_grad():
            state = reader.state(networks.masked_input(train.values, known))
        return lambda rows: F.cross_entropy(reader.classifier(state[rows]), label[rows], weights)

    networks.fit(reader.classifier, len(train.label), draw, rules)
