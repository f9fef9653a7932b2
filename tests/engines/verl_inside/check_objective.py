"""The local objective and advantages against verl's core_algos, over random tensors."""

import numpy as np
import pytest
import torch
from verl.trainer.ppo import core_algos
from verl.utils.config import omega_conf_to_dataclass
from verl_study import PLACES

from tirec.config.agent import ProtocolConfig
from tirec.config.training import ObjectiveConfig, TrainingConfig
from tirec.training.grpo import Tokens, advantages, k3, objective, policy_terms
from tirec.training.verl_engine.advantage import spread
from tirec.training.verl_engine.composition import composed
from tirec.training.verl_engine.settings import verl_keys

SEEDS = range(25)


@pytest.fixture(scope="module")
def actor():
    settings = TrainingConfig(verl={"gpus_per_node": 1})
    return omega_conf_to_dataclass(composed(verl_keys(settings, ProtocolConfig(), 0, PLACES)).actor_rollout_ref.actor)


def drawn(seed, rows=6, width=9):
    """Log-probabilities of three policies, entropy, advantages and a mask with holes, (B, T)."""
    draw = torch.Generator().manual_seed(seed)
    old = -3 * torch.rand(rows, width, generator=draw)
    new = (old + torch.randn(rows, width, generator=draw)).requires_grad_()
    base = old + 0.3 * torch.randn(rows, width, generator=draw)
    entropy = (2 * torch.rand(rows, width, generator=draw)).requires_grad_()
    advantage = (2 * torch.randn(rows, 1, generator=draw)).expand(rows, width)
    mask = torch.rand(rows, width, generator=draw) < 0.7
    mask[:, 0] = True
    return new, old, base, entropy, advantage, mask


@pytest.mark.parametrize("seed", SEEDS)
def test_the_clipped_surrogate_and_its_gradient(actor, seed):
    new, old, _, _, advantage, mask = drawn(seed)
    vanilla = core_algos.get_policy_loss_fn("vanilla")
    theirs, told = vanilla(old, new, advantage, mask.float(), loss_agg_mode="token-mean", config=actor)
    (their_gradient,) = torch.autograd.grad(theirs, new)
    terms, clipped = policy_terms(new[mask], old[mask], advantage[mask], ObjectiveConfig())
    (our_gradient,) = torch.autograd.grad(terms.mean(), new)
    torch.testing.assert_close(terms.mean(), theirs)
    torch.testing.assert_close(our_gradient, their_gradient)
    assert clipped.float().mean().item() == pytest.approx(told["actor/pg_clipfrac"])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_divergence_to_the_base(seed):
    new, _, base, _, _, mask = drawn(seed)
    theirs = core_algos.kl_penalty(new, base, "low_var_kl")
    torch.testing.assert_close(k3(new, base)[mask], theirs[mask])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_whole_objective_as_verl_adds_it_up(actor, seed):
    new, old, base, entropy, advantage, mask = drawn(seed)
    kl, bonus = 0.02, 0.01

    def mean(values):
        return core_algos.agg_loss(values, mask.float(), "token-mean")

    vanilla = core_algos.get_policy_loss_fn("vanilla")
    surrogate, _ = vanilla(old, new, advantage, mask.float(), loss_agg_mode="token-mean", config=actor)
    divergence = core_algos.kl_penalty(new, base, "low_var_kl")
    theirs = surrogate - bonus * mean(entropy) + kl * mean(divergence)
    ones = torch.ones_like(new)
    chosen = [value[mask] for value in (new, old, base, entropy, advantage, ones, ones < 0)]
    loss = objective(Tokens(*chosen), ObjectiveConfig(kl=kl, entropy=bonus))
    torch.testing.assert_close(loss.total / mask.sum(), theirs)
    ours = torch.autograd.grad(loss.total / mask.sum(), (new, entropy))
    for one, other in zip(ours, torch.autograd.grad(theirs, (new, entropy)), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("by_std", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_advantages(seed, by_std):
    draw = np.random.default_rng(seed)
    groups = draw.permutation(np.repeat(np.arange(4), 8))
    mask = torch.tensor(draw.random((32, 5)) < 0.8).float()
    mask[:, 0] = 1
    rewards = torch.zeros(32, 5)
    rewards[:, -1] = torch.tensor(draw.random(32), dtype=torch.float32)
    index = np.array([f"case {group}" for group in groups], dtype=object)
    theirs, _ = core_algos.compute_grpo_outcome_advantage(rewards, mask, index, norm_adv_by_std_in_grpo=by_std)
    rules = ObjectiveConfig(normalise_by_std=by_std)
    torch.testing.assert_close(spread(rewards, mask, index, rules), theirs, atol=1e-4, rtol=1e-4)


def test_a_group_that_agrees_gets_exactly_nothing_where_verl_divides_rounding_by_rounding():
    same = 0.1 + 0.7 * 0.3
    rewards = torch.full((8, 1), same)
    index = np.array(["one case"] * 8, dtype=object)
    assert spread(rewards, torch.ones(8, 1), index, ObjectiveConfig()).abs().max() == 0
    assert advantages(rewards[:, 0], torch.zeros(8), ObjectiveConfig()).abs().max() == 0
