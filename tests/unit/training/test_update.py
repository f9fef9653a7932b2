"""One update: what it learns from, what it must not, and what stops it."""

import math

import pytest
import tiny_policy as tiny
import torch

from tirec.config.training import TrainingConfig
from tirec.policy.optimization import Rates, optimizers
from tirec.training.sample import Sample
from tirec.training.update import NonFiniteError, update

SETTINGS = TrainingConfig(local={"micro_batch": 2}, objective={"kl": 0.0, "entropy": 0.0})


def sample(ids, mask, advantage, case=7):
    return Sample(ids, mask, [-2.0 * own for own in mask], group=0, case=case, advantage=advantage)


def gradients(samples, settings=SETTINGS):
    """The weights' movement under plain gradient descent is the gradient."""
    model = tiny.model()
    before = [weight.clone() for weight in model.parameters()]
    chosen = [torch.optim.SGD(model.parameters(), lr=1.0)]
    settings = settings.model_copy(update={"optimizer": settings.optimizer.model_copy(update={"gradient_norm": 1e9})})
    logged = update(tiny.trainee(model), chosen, samples, settings, 1.0, seed=0)
    return torch.cat([(a - b).flatten() for a, b in zip(before, model.parameters(), strict=True)]).detach(), logged


LONG = sample([5, 6, 7, 8, 9], [0, 0, 1, 1, 0], 1.0)
SHORT = sample([5, 9, 4], [0, 1, 1], -1.0)


def test_observations_have_no_gradient():
    all_but_written, _ = gradients([sample([5, 6, 7, 8, 9], [0, 0, 1, 1, 0], 0.0)])
    assert all_but_written.abs().max() == 0
    moved, _ = gradients([LONG])
    other_end, _ = gradients([sample([5, 6, 7, 8, 3], [0, 0, 1, 1, 0], 1.0)])
    torch.testing.assert_close(moved, other_end)  # what stands after the last written token does not matter


def test_micro_batches_and_padding_leave_the_gradient_alone():
    together, _ = gradients([LONG, SHORT])
    apart, _ = gradients(
        [LONG, SHORT], SETTINGS.model_copy(update={"local": SETTINGS.local.model_copy(update={"micro_batch": 1})})
    )
    torch.testing.assert_close(together, apart, atol=1e-6, rtol=1e-4)


def test_every_token_counts_the_same():
    """Token-mean: two samples together are the token-weighted mean of each alone."""
    one, _ = gradients([LONG])
    two, _ = gradients([sample([5, 9, 4], [0, 1, 0], -1.0)])
    both, _ = gradients([LONG, sample([5, 9, 4], [0, 1, 0], -1.0)])
    torch.testing.assert_close(both, (2 * one + two) / 3, atol=1e-6, rtol=1e-4)


def test_kl_to_itself_is_zero_and_entropy_is_logged():
    model = tiny.model()
    settings = SETTINGS.model_copy(update={"objective": SETTINGS.objective.model_copy(update={"kl": 0.1})})
    logged = update(
        tiny.trainee(model, tiny.model()), optimizers(model, Rates(1e-3)), [LONG, SHORT], settings, 1.0, seed=0
    )
    assert logged["kl"] == pytest.approx(0, abs=1e-6)
    assert 0 < logged["entropy"] < math.log(len(tiny.tokenizer()))


def test_a_loss_that_is_no_number_names_its_case_and_changes_nothing():
    model = tiny.model()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    bad = sample([5, 9, 4], [0, 1, 1], math.nan, case=4711)
    with pytest.raises(NonFiniteError, match="4711"):
        update(tiny.trainee(model), optimizers(model, Rates(1e-3)), [LONG, bad], SETTINGS, 1.0, seed=0)
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())


def test_a_sample_with_lists_of_different_length_is_refused():
    with pytest.raises(ValueError, match="1 mask entries"):
        Sample([1, 2], [1], [0.0], group=0, case=1)


def test_policy_and_supervised_samples_share_a_step_each_with_its_own_term():
    """A step over both is the token-weighted mean of the policy step and the cross-entropy step."""
    taught = Sample([5, 9, 4], [0, 1, 1], [0.0] * 3, group=1, case=8, loss="cross_entropy")
    policy, _ = gradients([LONG])
    supervised, _ = gradients([taught])
    both, _ = gradients([LONG, taught])
    torch.testing.assert_close(both, (2 * policy + 2 * supervised) / 4, atol=1e-6, rtol=1e-4)
    assert supervised.abs().max() > 0


def test_the_reference_is_asked_only_about_what_is_rewarded():
    model = tiny.model()
    asked = []
    trainee = tiny.trainee(model, lambda **inputs: asked.append(inputs))
    taught = Sample([5, 9, 4], [0, 1, 1], [0.0] * 3, group=1, case=8, loss="cross_entropy")
    settings = SETTINGS.model_copy(update={"objective": SETTINGS.objective.model_copy(update={"kl": 0.1})})
    update(trainee, optimizers(model, Rates(1e-3)), [taught], settings, 1.0, seed=0)
    assert asked == []
