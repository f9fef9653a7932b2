"""Adapters on two small architectures: what is trained, what it is compared with, and what is saved."""

import pytest
import tiny_policy as tiny
import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from tirec.config.policy import LoraConfig
from tirec.config.training import TrainingConfig
from tirec.policy.hf import save_model
from tirec.policy.likelihood import written
from tirec.policy.optimization import Rates, optimizers
from tirec.policy.policy_file import PolicyFile
from tirec.policy.trainee import load_trainee
from tirec.training.sample import Sample
from tirec.training.update import update

SETTINGS = TrainingConfig(
    lora=LoraConfig(rank=4, alpha=8, dropout=0.1), objective={"kl": 0.1}, local={"device": "cpu", "micro_batch": 2}
)
LONG = Sample([5, 6, 7, 8, 9], [0, 0, 1, 1, 0], [0, 0, -2.0, -2.0, 0], group=0, case=7, advantage=1.0)
SHORT = Sample([5, 9, 4], [0, 1, 1], [0, -2.0, -2.0], group=0, case=7, advantage=-1.0)


def llama():
    torch.manual_seed(1)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tiny.tokenizer()), tie_word_embeddings=False, **shape)).eval()


@pytest.fixture(params=["qwen3", "llama"])
def policy(request, tmp_path):
    """policy.json of a saved base."""
    save_model(tiny.model() if request.param == "qwen3" else llama(), tiny.tokenizer(), tmp_path / "model")
    described = {"weights": "model", "tokenizer": "model", "template_hash": "", "calls": 4, "base_id": "b"}
    file = PolicyFile(kind="hf", data_class="synthetic", selected_step=0, fingerprint="b", **described)
    file.write(tmp_path / "policy.json")
    return tmp_path / "policy.json"


def logprobs(model):
    with torch.no_grad():
        return written(model, [LONG.ids], [LONG.mask]).logprobs


def trained(policy, steps=3):
    trainee = load_trainee(policy, SETTINGS)
    chosen = optimizers(trainee.model, Rates(1e-2))
    for step in range(steps):
        update(trainee, chosen, [LONG, SHORT], SETTINGS, 1.0, seed=step)
    return trainee


def test_only_the_adapters_move_and_the_reference_stays_the_base(policy):
    trainee = load_trainee(policy, SETTINGS)
    before = {name: weight.clone() for name, weight in trainee.model.state_dict().items()}
    untouched = logprobs(trainee.model)
    update(trainee, optimizers(trainee.model, Rates(1e-2)), [LONG, SHORT], SETTINGS, 1.0, seed=0)
    moved = {name for name, weight in trainee.model.state_dict().items() if not torch.equal(weight, before[name])}
    assert moved
    assert all(".lora_" in name for name in moved)
    assert not torch.equal(logprobs(trainee.model), untouched)
    assert torch.equal(logprobs(trainee.reference), untouched)
    assert not trainee.model.training  # rollouts never see dropout


def test_what_is_saved_predicts_the_same_without_peft(policy, tmp_path):
    trainee = trained(policy)
    trainee.save(tmp_path / "saved")
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path / "saved", dtype=torch.float32).eval()
    assert not any("lora" in name for name in loaded.state_dict())
    torch.testing.assert_close(logprobs(loaded), logprobs(trainee.model), atol=1e-5, rtol=1e-4)


def test_a_checkpoint_holds_the_adapters_alone_and_brings_them_back(policy):
    trainee = trained(policy)
    state = {name: weight.clone() for name, weight in trainee.state().items()}
    assert sum(weight.numel() for weight in state.values()) < sum(one.numel() for one in trainee.model.parameters()) / 2
    fresh = load_trainee(policy, SETTINGS)
    fresh.restore(state)
    assert torch.equal(logprobs(fresh.model), logprobs(trainee.model))


def test_saving_does_not_touch_the_trained_model(policy, tmp_path):
    trainee = trained(policy)
    before = logprobs(trainee.model)
    trainee.save(tmp_path / "saved")
    assert torch.equal(logprobs(trainee.model), before)


def test_the_same_seed_gives_the_same_adapters_with_and_without_checkpointing(policy):
    once, again = trained(policy), trained(policy)
    assert all(torch.equal(weight, again.state()[name]) for name, weight in once.state().items())
    spared = SETTINGS.model_copy(update={"local": SETTINGS.local.model_copy(update={"gradient_checkpointing": True})})
    trainee = load_trainee(policy, spared)
    update(trainee, optimizers(trainee.model, Rates(1e-2)), [LONG, SHORT], spared, 1.0, seed=0)
    plain = trained(policy, steps=1)
    for name, weight in plain.state().items():
        torch.testing.assert_close(trainee.state()[name], weight, atol=1e-5, rtol=1e-3)
