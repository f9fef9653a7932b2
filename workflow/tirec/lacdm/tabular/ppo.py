"""Proximal policy optimisation over panel games: one small network, masked actions, one reward at the end."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from tirec.config.lacdm import CdmTabularConfig
from tirec.lacdm.tabular.lab_cases import Flags
from tirec.lacdm.tabular.panel_game import Chooser, PanelGame, Played

States = Callable[[np.ndarray, Flags], torch.Tensor]
"""(m, s) what the policy sees of the cases (m,) with these panels answered (m, P)."""
Rewards = Callable[[np.ndarray, Flags], np.ndarray]
"""(m,) reward of naming a condition for these cases with these panels answered."""
CLIP, VALUE_WEIGHT, ENTROPY = 0.2, 0.5, 0.01
FORBIDDEN = -1e9


class Policy(nn.Module):
    """Scores of actions and the value of a state."""

    def __init__(self, width: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.actor, self.critic = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, state: torch.Tensor, allowed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(m, A) log probabilities of the allowed actions and (m,) values."""
        inner = self.body(state)
        scores = self.actor(inner).masked_fill(~allowed, FORBIDDEN)
        return scores.log_softmax(-1), self.critic(inner).squeeze(-1)


@dataclass(frozen=True)
class Batch:
    """All moves of one round of games, one row each."""

    state: torch.Tensor
    allowed: torch.Tensor
    action: torch.Tensor
    logp: torch.Tensor
    gain: torch.Tensor
    """(m,) what followed: the reward at the end minus the costs from this move on."""


def train_policy(
    game: PanelGame, states: States, rewards: Rewards, penalty: float, rules: CdmTabularConfig, hidden: int
) -> Policy:
    """A policy that maximises the reward at the end minus `penalty` times the bill in units of the panels' price."""
    torch.manual_seed(rules.seed)
    width = states(np.arange(1), np.zeros((1, len(game.cases.panels)), dtype=bool)).shape[1]
    policy = Policy(width, len(game.cases.panels) + 1, hidden)
    optimizer = torch.optim.Adam(policy.parameters(), lr=rules.policy_rate)
    for _ in range(rules.iterations):
        played = game.play(sampling(policy, states))
        batch = _batch(game, policy, played, states, rewards, penalty)
        for _ in range(rules.epochs):
            _update(policy, optimizer, batch)
    return policy


def sampling(policy: Policy, states: States) -> Chooser:
    """Draws actions from the policy."""
    return _chooser(policy, states, lambda logp: torch.multinomial(logp.exp(), 1).squeeze(-1))


def greedy(policy: Policy, states: States) -> Chooser:
    """Takes the most probable action."""
    return _chooser(policy, states, lambda logp: logp.argmax(-1))


def _chooser(policy: Policy, states: States, pick: Callable[[torch.Tensor], torch.Tensor]) -> Chooser:
    def choose(cases: np.ndarray, seen: Flags, allowed: Flags) -> np.ndarray:
        with torch.no_grad():
            logp, _ = policy(states(cases, seen), torch.from_numpy(allowed))
        return pick(logp).numpy()

    return choose


def _batch(game: PanelGame, policy: Policy, played: Played, states: States, rewards: Rewards, penalty: float) -> Batch:
    gains = following(game, played, rewards, penalty)
    state = torch.cat([states(move.cases, move.seen) for move in played.moves])
    allowed = torch.from_numpy(np.concatenate([move.allowed for move in played.moves]))
    action = torch.from_numpy(np.concatenate([move.action for move in played.moves]))
    with torch.no_grad():
        logp, _ = policy(state, allowed)
    chosen = logp.gather(1, action[:, None]).squeeze(1)
    return Batch(state, allowed, action, chosen, torch.from_numpy(np.concatenate(gains)).float())


def following(game: PanelGame, played: Played, rewards: Rewards, penalty: float) -> list[np.ndarray]:
    """For each move (m,): the reward at the end minus the penalised costs from this move on."""
    after = np.zeros(len(game.cases.label))
    gains: list[np.ndarray] = []
    for move in reversed(played.moves):
        named = move.action == len(game.cases.panels)
        if named.any():
            after[move.cases[named]] = rewards(move.cases[named], move.seen[named])
        after[move.cases] -= penalty * move.cost / game.menu.total
        gains.append(after[move.cases].copy())
    return gains[::-1]


def _update(policy: Policy, optimizer: torch.optim.Optimizer, batch: Batch) -> None:
    """One step of the clipped objective on the whole round."""
    logp, value = policy(batch.state, batch.allowed)
    advantage = batch.gain - value.detach()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    ratio = (logp.gather(1, batch.action[:, None]).squeeze(1) - batch.logp).exp()
    clipped = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage)
    entropy = -(logp.exp() * logp.masked_fill(~batch.allowed, 0.0)).sum(-1)
    loss = -clipped.mean() + VALUE_WEIGHT * (batch.gain - value).square().mean() - ENTROPY * entropy.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
