"""The objective against numbers worked out by hand."""

import math

import pytest
import torch

from tirec.config.training import ObjectiveConfig
from tirec.training.grpo import Tokens, advantages, k3, objective, policy_terms

RULES = ObjectiveConfig()


def found(rewards, groups, **changes):
    rules = RULES.model_copy(update=changes)
    return advantages(torch.tensor(rewards, dtype=torch.float64), torch.tensor(groups), rules).tolist()


def test_two_rewards_are_one_sample_deviation_apart():
    # mean 0.5, std (ddof 1) 0.70710678
    assert found([1.0, 0.0], [0, 0]) == pytest.approx([0.70710, -0.70710], abs=1e-4)


def test_each_group_is_normalised_by_itself():
    assert found([1.0, 0.0, 10.0, 9.0], [0, 0, 1, 1]) == pytest.approx([0.7071, -0.7071] * 2, abs=1e-3)
    # interleaved groups give the same numbers in their places
    assert found([1.0, 10.0, 0.0, 9.0], [0, 1, 0, 1]) == pytest.approx([0.7071, 0.7071, -0.7071, -0.7071], abs=1e-3)


def test_a_group_that_agrees_gets_exactly_zero():
    same = 0.1 + 0.7 * 0.3
    assert found([same] * 3 + [0.0, 1.0], [0, 0, 0, 1, 1])[:3] == [0.0, 0.0, 0.0]
    assert found([same] * 8, [0] * 8) == [0.0] * 8
    assert found([5.0], [0]) == [0.0]


def test_the_floor_quietens_groups_that_nearly_agree():
    loud, quiet = found([0.51, 0.49], [0, 0])[0], found([0.51, 0.49], [0, 0], advantage_floor=0.1)[0]
    assert loud == pytest.approx(0.7071, abs=1e-3)
    assert quiet == pytest.approx(0.01 / (0.0141421 + 0.1), abs=1e-5)


def test_without_the_deviation_only_the_mean_is_taken_off():
    assert found([1.0, 0.0], [0, 0], normalise_by_std=False) == [0.5, -0.5]


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "clipped"),
    [
        (1.0, 1.0, -1.0, False),
        (1.5, 1.0, -1.28, True),  # upper clip 1 + 0.28
        (0.5, 1.0, -0.5, False),  # a fall of a good token is not clipped
        (0.5, -1.0, 0.8, True),  # lower clip 1 - 0.2
        (1.5, -1.0, 1.5, False),
        (5.0, -1.0, 3.0, False),  # dual clip
        (5.0, -2.0, 6.0, False),
    ],
)
def test_clipping(ratio, advantage, loss, clipped):
    new = torch.tensor([math.log(ratio)])
    terms, bound = policy_terms(new, torch.zeros(1), torch.tensor([advantage]), RULES)
    assert terms.item() == pytest.approx(loss, abs=1e-6)
    assert bound.item() is clipped


def test_k3_by_hand():
    # base twice as likely: r - ln r - 1 with r = 2
    assert k3(torch.tensor([math.log(0.25)]), torch.tensor([math.log(0.5)])).item() == pytest.approx(
        2 - math.log(2) - 1
    )
    assert k3(torch.tensor([-3.0]), torch.tensor([-3.0])).item() == 0
    assert k3(torch.tensor([-60.0]), torch.tensor([0.0])).item() == 10  # clamped


def tokens(**changes):
    two = torch.tensor([math.log(0.5), math.log(0.25)])
    plain = {
        "new": two.clone().requires_grad_(),
        "old": two,
        "base": None,
        "entropy": torch.zeros(2),
        "advantage": torch.tensor([1.0, -1.0]),
        "weight": torch.ones(2),
        "supervised": torch.zeros(2, dtype=torch.bool),
    }
    return Tokens(**{**plain, **changes})


def test_parts_add_up():
    given = tokens(base=torch.tensor([math.log(0.5), math.log(0.5)]), entropy=torch.tensor([0.3, 0.5]))
    rules = ObjectiveConfig(kl=0.1, entropy=0.01)
    total = objective(given, rules).total.item()
    assert total == pytest.approx((-1.0 - 0.003) + (1.0 + 0.1 * (1 - math.log(2)) - 0.005))


def test_the_ratio_is_one_at_the_sampling_policy_and_the_gradient_is_the_advantage():
    given = tokens()
    objective(given, ObjectiveConfig(kl=0, entropy=0)).total.backward()
    assert given.new.grad.tolist() == pytest.approx([-1.0, 1.0])


def test_a_supervised_token_is_cross_entropy_and_weights_multiply():
    given = tokens(supervised=torch.tensor([True, False]), weight=torch.tensor([2.0, 0.0]))
    loss = objective(given, RULES)
    assert loss.total.item() == pytest.approx(2 * math.log(2))
    loss.total.backward()
    assert given.new.grad.tolist() == pytest.approx([-2.0, 0.0])
