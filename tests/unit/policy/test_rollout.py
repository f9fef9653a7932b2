"""Rollouts against a plain loop without cache, and against themselves in other batches."""

import pytest
import tiny_policy as tiny
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from tirec.agent.episode import Stop
from tirec.policy.likelihood import written
from tirec.policy.rollout import Sampling, play


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return list(tiny.write_cases(tmp_path_factory.mktemp("cases") / "c.arrow", "test", 4))


def plain_greedy(model, episode, turn_end):
    """One token at a time, the whole sequence read anew for each: slow and obviously right."""
    while not episode.finished:
        turn, stop = [], None
        while stop is None:
            ids = torch.tensor([[*episode.prompt, *episode.response, *turn]])
            with torch.no_grad():
                turn.append(int(model(ids).logits[0, -1].argmax()))
            stop = turn_end.stop(turn) or (Stop.LENGTH if len(turn) >= episode.remaining else None)
        episode.accept(turn, [0.0] * len(turn), stop)
    return episode


def llama():
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tiny.tokenizer()), **shape)).eval()


@pytest.mark.parametrize("make", [tiny.model, llama])
def test_greedy_rollout_equals_a_plain_loop(cases, make):
    model, turn_end = make(), tiny.turn_end()
    played = tiny.episodes(cases)
    play(model, turn_end, played)
    for case, episode in zip(cases, played, strict=True):
        expected = plain_greedy(model, tiny.episodes([case])[0], turn_end)
        assert episode.response == expected.response
        assert episode.mask == expected.mask
        assert episode.episode.finish == expected.episode.finish


def test_every_row_is_the_same_whatever_shares_its_batch(cases):
    model, turn_end = tiny.model(), tiny.turn_end()
    together, alone = tiny.episodes(cases), tiny.episodes(cases)
    play(model, turn_end, together)
    for episode in alone:
        play(model, turn_end, [episode])
    assert [one.response for one in together] == [one.response for one in alone]
    assert len({tuple(one.response) for one in together}) > 1


def test_a_group_shares_its_prompt_and_draws_its_own_noise(cases):
    model = tiny.model()
    group = tiny.episodes([cases[0]] * 8)
    play(model, tiny.turn_end(), group, Sampling(seed=3))
    again = tiny.episodes([cases[0]] * 8)
    play(model, tiny.turn_end(), again, Sampling(seed=3))
    assert [one.response for one in group] == [one.response for one in again]
    assert len({tuple(one.response) for one in group}) > 1


def test_recorded_log_probabilities_are_those_of_a_full_forward_pass(cases):
    model = tiny.model()
    group = tiny.episodes(cases[:3])
    play(model, tiny.turn_end(), group, Sampling(seed=1, temperature=0.7))
    ids = [[*one.prompt, *one.response] for one in group]
    masks = [[*[0] * len(one.prompt), *one.mask] for one in group]
    found = written(model, ids, masks, temperature=0.7).logprobs
    recorded = [value for one in group for value, own in zip(one.logprobs, one.mask, strict=True) if own]
    torch.testing.assert_close(found.detach(), torch.tensor(recorded), atol=1e-4, rtol=1e-4)


def test_sampling_follows_the_distribution():
    from tirec.policy.rollout import _drawn, _Row

    logits = torch.log(torch.tensor([[0.5, 0.0, 0.3, 0.2]])).expand(4000, 4)
    noise = torch.rand(4000, generator=torch.Generator().manual_seed(0), dtype=torch.float64).tolist()
    rows = [_Row(None, [one]) for one in noise]
    tokens = [token for token, _ in _drawn(logits, rows, Sampling(0))]
    shares = [tokens.count(token) / 4000 for token in range(4)]
    assert shares == pytest.approx([0.5, 0.0, 0.3, 0.2], abs=0.03)
    assert shares[1] == 0
