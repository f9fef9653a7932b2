"""The same samples through verl's training worker and through the local update: losses, gradients, weights."""

import random
from functools import partial

import pytest
import tiny_llama
import tiny_policy as tiny
import torch
import verl_study
from tensordict import TensorDict
from verl.utils import tensordict_utils
from verl.utils.config import omega_conf_to_dataclass
from verl.workers.engine_workers import TrainingWorker, TrainingWorkerConfig
from verl.workers.utils.losses import ppo_loss

from tirec.agent.episode import Stop
from tirec.agent.prompt import protocol_of
from tirec.agent.tokens import TokenEpisode
from tirec.config.training import TrainingConfig
from tirec.policy.likelihood import written
from tirec.policy.optimization import Rates, optimizers
from tirec.policy.policy_file import PolicyFile
from tirec.policy.trainee import load_trainee
from tirec.training.sample import Sample
from tirec.training.tool_use import sample_of
from tirec.training.update import update
from tirec.training.verl_engine.composition import composed
from tirec.training.verl_engine.settings import Places, verl_keys

OPTIMIZER = {"learning_rate": 3e-2, "weight_decay": 0.01, "gradient_norm": 0.5}
SETTINGS = verl_study.SETTINGS.model_copy(
    update={"optimizer": TrainingConfig(optimizer=OPTIMIZER).optimizer, "prompts_per_step": 2}
)
UPDATES = 3


@pytest.fixture(scope="module", params=["qwen3", "llama"])
def base(request, tmp_path_factory):
    """Folder of a policy.json with its model: the demo's architecture, and another with a template of its own."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "qwen3":
        return verl_study.make(folder) / "base" / "disposition"
    return tiny_llama.write_base(folder) / "disposition"


def model_folder(base):
    described = PolicyFile.read(base / "policy.json")
    return (base / described.weights).resolve()


@pytest.fixture(scope="module")
def samples(base):
    """Finished episodes of several turns with their true log-probabilities and invented advantages."""
    trainee = load_trainee(base / "policy.json", SETTINGS)
    protocol = protocol_of(trainee.policy.tokenizer, tiny.RULES)
    made = []
    draw = random.Random(1)
    cases = list(tiny.write_cases(base / "cases.arrow", "train", 8))[:8]
    for number, case in enumerate(cases):
        episode = TokenEpisode.evaluation(protocol, case, tiny.RULES)
        for text in ("0.40 <tool_call>", "labs then", "0.2"):
            ids = protocol.encode(text) + protocol.call_ids("labs" if number % 2 else "orders")
            if not episode.finished:
                episode.accept(ids, [0.0] * len(ids), Stop.CLOSED)
        if not episode.finished:
            ids = protocol.encode("<answer>0.3</answer>")
            episode.accept(ids, [0.0] * len(ids), Stop.CLOSED)
        made.append(sample_of(episode, case, number // 4, draw.uniform(-2, 2)))
    found = written(trainee.model, [one.ids for one in made], [one.mask for one in made]).logprobs.tolist()
    return [with_logprobs(sample, found) for sample in made]


def with_logprobs(sample, found):
    """Takes as many of the log-probabilities found as the sample has written tokens."""
    logprobs = [found.pop(0) if own else 0.0 for own in sample.mask]
    return Sample(sample.ids, sample.mask, logprobs, sample.group, sample.case, advantage=sample.advantage)


@pytest.fixture(scope="module")
def local(base, samples):
    """Metrics of each update, and the weights after the last."""
    trainee = load_trainee(base / "policy.json", SETTINGS)
    told = SETTINGS.optimizer
    chosen = optimizers(trainee.model, Rates(told.learning_rate, None, told.weight_decay, (told.beta1, told.beta2)))
    logged = [update(trainee, chosen, samples, SETTINGS, 1.0, seed=0) for _ in range(UPDATES)]
    return logged, {name: weight.detach() for name, weight in trainee.model.named_parameters()}


@pytest.fixture(scope="module")
def verl(base, samples):
    """The same of verl's own worker, which a run has one of per GPU."""
    worker = training_worker(model_folder(base))
    logged = []
    for _ in range(UPDATES):
        output = worker.train_mini_batch(batch(samples))
        logged.append({name: mean(values) for name, values in output["metrics"].items()})
    weights = dict(worker.engine.get_per_tensor_param()[0])
    return logged, {name: weight.detach() for name, weight in weights.items()}


def mean(values):
    return float(torch.tensor(values, dtype=torch.float64).mean())


def training_worker(folder):
    """The worker as verl's ActorRolloutRefWorker makes it for the actor."""
    places = Places(folder, *(folder / name for name in ("t", "v", "l", "c")))
    config = composed(verl_keys(SETTINGS, tiny.RULES, 0, places)).actor_rollout_ref
    config.actor.optim.total_training_steps = UPDATES
    actor, model = omega_conf_to_dataclass(config.actor), omega_conf_to_dataclass(config.model)
    actor.engine.micro_batch_size_per_gpu = config.actor.ppo_micro_batch_size_per_gpu
    actor.engine.max_token_len_per_gpu = config.actor.ppo_max_token_len_per_gpu
    actor.engine.use_dynamic_bsz = False
    parts = {"engine_config": actor.engine, "optimizer_config": actor.optim, "checkpoint_config": actor.checkpoint}
    worker = TrainingWorker(TrainingWorkerConfig(model_type="language_model", model_config=model, **parts))
    worker.reset()
    worker.set_loss_fn(partial(ppo_loss, config=actor))
    return worker


def batch(samples):
    """Rows as they come out of verl's queue, with what its trainer adds before an update."""
    listed = [row(sample) for sample in samples]
    columns = {name: [one[name] for one in listed] for name in listed[0]}
    jagged = {name: torch.nested.as_nested_tensor(column, layout=torch.jagged) for name, column in columns.items()}
    rows = TensorDict(jagged, len(samples))
    told = {"global_batch_size": len(samples), "mini_batch_size": len(samples), "epochs": 1, "temperature": 1.0}
    tensordict_utils.assign_non_tensor(rows, **told, calculate_entropy=True, seed=0, dataloader_kwargs={})
    return rows


def row(sample):
    prompt = sample.mask.index(1)
    response = {"mask": sample.mask[prompt:], "logprobs": sample.logprobs[prompt:]}
    mask = torch.tensor(response["mask"])
    logprobs = torch.tensor(response["logprobs"])
    return {
        "prompts": torch.tensor(sample.ids[:prompt]),
        "responses": torch.tensor(sample.ids[prompt:]),
        "input_ids": torch.tensor(sample.ids),
        "position_ids": torch.arange(len(sample.ids)),
        "response_mask": mask,
        "loss_mask": mask,
        "old_log_probs": logprobs,
        "ref_log_prob": logprobs,
        "advantages": sample.advantage * mask.float(),
    }


NAMES = {"loss": "loss", "kl": "kl_loss", "clip_fraction": "actor/pg_clipfrac", "grad_norm": "grad_norm"}


@pytest.mark.parametrize("number", range(UPDATES))
@pytest.mark.parametrize("name", ["loss", "kl", "grad_norm"])
def test_every_update_logs_the_same(local, verl, number, name):
    ours, theirs = local[0][number][name], verl[0][number][NAMES[name]]
    assert theirs == pytest.approx(ours, rel=1e-3, abs=1e-6)


def test_the_updates_are_more_than_one_policy_gradient(local):
    """The later updates clip and move away from the base, so that these terms are compared too."""
    logged, _ = local
    assert logged[-1]["clip_fraction"] > 0.05
    assert logged[-1]["kl"] > 0.01


def test_the_weights_end_the_same(local, verl, base):
    ours, theirs = local[1], verl[1]
    before = dict(load_trainee(base / "policy.json", SETTINGS).model.named_parameters())
    for name, weight in ours.items():
        moved = (weight - before[name]).abs().max()
        assert moved > 0
        assert (weight - theirs[name]).abs().max() < 0.01 * moved, name
