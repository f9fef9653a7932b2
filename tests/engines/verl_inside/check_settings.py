"""A run's settings in verl's own configuration, composed from what verl ships and judged by verl."""

import pytest
from omegaconf import OmegaConf
from verl.utils.config import omega_conf_to_dataclass
from verl_study import ON_CPU, PLACES

from tirec.config.agent import ProtocolConfig
from tirec.config.policy import LoraConfig
from tirec.config.training import TrainingConfig, ablations, compose
from tirec.errors import ConfigError
from tirec.training.verl_engine.composition import composed
from tirec.training.verl_engine.settings import verl_keys

RULES = ProtocolConfig()


def configured(settings, **more):
    return composed(verl_keys(settings, RULES, 0, PLACES, **more))


@pytest.fixture(scope="module")
def published():
    return configured(compose("full", {}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("data.train_batch_size", 64),
        ("data.max_prompt_length", 6144),
        ("data.max_response_length", 8192),
        ("data.shuffle", False),
        ("actor_rollout_ref.rollout.n", 8),
        ("actor_rollout_ref.rollout.name", "vllm"),
        ("actor_rollout_ref.rollout.temperature", 1.0),
        ("actor_rollout_ref.rollout.top_p", 1.0),
        ("actor_rollout_ref.rollout.max_model_len", 14336),
        ("actor_rollout_ref.rollout.val_kwargs.temperature", 0),
        ("actor_rollout_ref.rollout.val_kwargs.do_sample", False),
        ("actor_rollout_ref.actor.optim.lr", 1e-6),
        ("actor_rollout_ref.actor.optim.optimizer", "AdamW"),
        ("actor_rollout_ref.actor.optim.optimizer_impl", "torch.optim"),
        ("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu", 1),
        ("actor_rollout_ref.actor.ppo_mini_batch_size", 64),
        ("actor_rollout_ref.actor.clip_ratio_low", 0.2),
        ("actor_rollout_ref.actor.clip_ratio_high", 0.28),
        ("actor_rollout_ref.actor.kl_loss_coef", 1e-4),
        ("actor_rollout_ref.actor.entropy_coeff", 1e-4),
        ("actor_rollout_ref.actor.loss_agg_mode", "token-mean"),
        ("actor_rollout_ref.actor.fsdp_config.dtype", "bfloat16"),
        ("actor_rollout_ref.actor.fsdp_config.mixed_precision.param_dtype", "bf16"),
        ("actor_rollout_ref.ref.fsdp_config.param_offload", True),
        ("trainer.total_training_steps", 500),
        ("trainer.save_freq", 10),
        ("trainer.test_freq", 10),
        ("trainer.nnodes", 1),
        ("trainer.n_gpus_per_node", 4),
        ("trainer.device", "cuda"),
        ("trainer.val_before_train", True),
        ("trainer.resume_mode", "disable"),
    ],
)
def test_the_published_values_arrive(published, key, value):
    assert OmegaConf.select(published, key) == value


def test_verl_reads_the_precision_that_is_asked_for(published):
    actor = omega_conf_to_dataclass(published.actor_rollout_ref.actor)
    assert actor.fsdp_config.mixed_precision["param_dtype"] == "bf16"
    assert (actor.optim.betas[0], actor.optim.betas[1]) == (0.9, 0.999)


@pytest.mark.parametrize("ablation", ablations())
def test_every_ablation_composes(ablation):
    told = configured(compose(ablation, {}))
    assert told.algorithm.norm_adv_by_std_in_grpo == (ablation != "full_calibrated")


def test_a_cpu_run_composes_and_a_resumed_run_names_its_checkpoint():
    told = configured(TrainingConfig(verl=ON_CPU, steps=3), resume=2)
    assert told.trainer.device == "cpu"
    assert told.trainer.resume_from_path == "/study/checkpoints/global_step_2"
    assert not told.trainer.val_before_train


def test_adapters_arrive_and_are_merged_for_the_rollout():
    told = configured(TrainingConfig(lora=LoraConfig(rank=4, alpha=8, targets=("q_proj",)))).actor_rollout_ref
    assert (told.model.lora_rank, told.model.lora_alpha, told.model.target_modules) == (4, 8, ["q_proj"])
    assert told.model.lora.merge


def test_without_kl_there_is_no_reference_model():
    told = configured(TrainingConfig(objective={"kl": 0}))
    assert not told.actor_rollout_ref.actor.use_kl_loss


def test_a_rate_that_changes_brings_our_optimizer():
    told = configured(TrainingConfig(optimizer={"ramp_steps": 5, "final_share": 0.2, "minibatches": 2}))
    optimizer = told.actor_rollout_ref.actor.optim
    assert optimizer.optimizer_impl == "tirec.training.verl_engine.optimizer"
    assert optimizer.override_optimizer_config.updates == 1000


def test_a_key_that_verl_does_not_have_is_named():
    with pytest.raises(ConfigError, match=r"actor_rollout_ref\.rollout\.temprature"):
        composed({"actor_rollout_ref.rollout.temprature": 1.0})


def test_what_verl_refuses_is_one_line():
    keys = verl_keys(compose("full", {}), RULES, 0, PLACES)
    with pytest.raises(ConfigError, match="verl refuses") as fault:
        composed(keys | {"trainer.n_gpus_per_node": 7})
    assert "\n" not in str(fault.value)
