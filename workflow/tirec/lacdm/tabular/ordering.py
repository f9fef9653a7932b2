"""What the two policies over panels share: a grid of penalties, games on held-out cases, the choice on validation."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
import torch

from tirec.config.lacdm import CdmTabularConfig
from tirec.lacdm.menu import Menu
from tirec.lacdm.tabular.lab_cases import Flags, LabCases, labelled
from tirec.lacdm.tabular.networks import class_weights
from tirec.lacdm.tabular.panel_game import PanelGame, Played
from tirec.lacdm.tabular.ppo import States, greedy, train_policy

EVALUATED = ("validation", "test")


@dataclass(frozen=True)
class Senses:
    """What a policy knows of cases with some panels ordered."""

    states: Callable[[LabCases], States]
    """Its state, for the cases of one split."""
    probabilities: Callable[[LabCases, np.ndarray, Flags], np.ndarray]
    """(m, 4) of these cases with these panels."""


@dataclass(frozen=True)
class Setup:
    """The rules under which panels are ordered."""

    menu: Menu
    charges_absent: bool
    only_performed: bool
    """Whether only panels that were performed may be ordered (an action mask that knows the record)."""

    def game(self, cases: LabCases) -> PanelGame:
        """The game over some cases."""
        return PanelGame(cases, self.menu, charges_absent=self.charges_absent, only_performed=self.only_performed)


@dataclass(frozen=True)
class Outcome:
    """What one penalty led to, on the evaluated splits."""

    penalty: float
    played: Mapping[str, Played]
    p: Mapping[str, np.ndarray]


def outcomes(cases: LabCases, senses: Senses, setup: Setup, rules: CdmTabularConfig) -> Iterator[Outcome]:
    """One trained policy per penalty, played greedily on validation and test."""
    train = cases.of("train")
    weights, game, states = class_weights(train.label), setup.game(train), senses.states(train)

    def reward(rows: np.ndarray, seen: Flags) -> np.ndarray:
        named = senses.probabilities(train, rows, seen).argmax(1)
        return np.where(named == train.label[rows], weights[train.label[rows]], 0.0)

    for penalty in rules.penalties:
        policy = train_policy(game, states, reward, penalty, rules, rules.hidden)
        played, p = {}, {}
        for split in EVALUATED:
            held_out = cases.of(split)
            played[split] = setup.game(held_out).play(greedy(policy, senses.states(held_out)))
            p[split] = senses.probabilities(held_out, np.arange(len(held_out.label)), played[split].seen)
        yield Outcome(penalty, played, p)


def cost_of(played: Played, cases: int) -> np.ndarray:
    """(n,) USD of each case."""
    bill = np.zeros(cases)
    for move in played.moves:
        bill[move.cases] += move.cost
    return bill


def mean_accuracy(p: np.ndarray, label: np.ndarray) -> float:
    """Unweighted mean of the accuracies of the conditions that occur."""
    right = p.argmax(1) == label
    return float(np.mean([right[label == condition].mean() for condition in np.unique(label)]))


def frontier(cases: LabCases, found: list[Outcome], chosen: Outcome) -> pl.DataFrame:
    """penalty, split, mean_accuracy, accuracy, cost and tests per case, chosen: the front of score against cost."""
    rows = []
    for outcome in found:
        for split in EVALUATED:
            label = cases.of(split).label
            right = float((outcome.p[split].argmax(1) == label).mean())
            bill = float(cost_of(outcome.played[split], len(label)).mean())
            tests = float(np.mean([len(orders) for orders in outcome.played[split].orders]))
            score = mean_accuracy(outcome.p[split], label)
            rows.append((outcome.penalty, split, score, right, bill, tests, outcome is chosen))
    columns = ["penalty", "split", "mean_accuracy", "accuracy", "cost", "tests", "chosen"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def best(cases: LabCases, found: list[Outcome]) -> Outcome:
    """The penalty with the highest mean accuracy on validation; of equals the cheaper one."""
    label = cases.of("validation").label

    def rank(outcome: Outcome) -> tuple[float, float]:
        played, p = outcome.played["validation"], outcome.p["validation"]
        return mean_accuracy(p, label), -float(cost_of(played, len(label)).mean())

    return max(found, key=rank)


def predictions(cases: LabCases, outcome: Outcome, split: str) -> pl.DataFrame:
    """The shared format for one split."""
    held_out, played = cases.of(split), outcome.played[split]
    names = [panel.name for panel in held_out.panels]
    requested = [[names[panel] for panel in orders] for orders in played.orders]
    tests = [
        [names[panel] for panel in orders if has[panel]]
        for orders, has in zip(played.orders, held_out.available, strict=True)
    ]
    return labelled(held_out.keys, outcome.p[split]).with_columns(
        tests=pl.Series(tests, dtype=pl.List(pl.String)),
        requested=pl.Series(requested, dtype=pl.List(pl.String)),
        cost=pl.Series(cost_of(played, len(held_out.label))),
        finish=pl.lit("answered"),
    )


def seen_tensor(seen: Flags) -> torch.Tensor:
    """(m, P) as numbers."""
    return torch.from_numpy(seen.astype(np.float32))
