"""A run's settings as verl's own keys: one pure function that knows no verl."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tirec.config.agent import ProtocolConfig
from tirec.config.policy import LoraConfig
from tirec.config.training import ObjectiveConfig, OptimizerConfig, TrainingConfig
from tirec.config.verl import VerlConfig
from tirec.errors import ConfigError

AGENT_LOOP = "tirec"
ADVANTAGES = "tirec_grpo"
Keys = dict[str, Any]
_ACTOR, _REF, _ROLLOUT, _MODEL = (f"actor_rollout_ref.{part}" for part in ("actor", "ref", "rollout", "model"))
_SHORT = {"bfloat16": "bf16", "float32": "fp32"}


@dataclass(frozen=True)
class Places:
    """The files that verl reads and writes."""

    base: Path
    """Folder of the base model."""
    train: Path
    """One row per slot of every step, in the schedule's order."""
    validation: Path
    """One row per case of half A."""
    agent_loop: Path
    """verl's list of agent loops."""
    checkpoints: Path
    """Folder of `global_step_{n}`."""


def verl_keys(
    settings: TrainingConfig, rules: ProtocolConfig, seed: int, places: Places, resume: int | None = None
) -> Keys:
    """verl's configuration by dotted key; `resume` is the checkpoint's step to continue from.

    Raises ConfigError for a setting that verl cannot honour.
    """
    require_supported(settings)
    return {
        **_data(settings, rules, seed, places),
        **_model(settings.verl, places),
        **_adapters(settings.lora),
        **_actor(settings, seed),
        **_base(settings.verl),
        **_rollout(settings, rules, seed, places),
        **_trainer(settings, seed, places, resume),
    }


def require_supported(settings: TrainingConfig) -> None:
    """Raises ConfigError, naming the key, for a setting that verl cannot honour."""
    if settings.optimizer.name != "adamw":
        raise ConfigError(f"optimizer.name: engine verl has no {settings.optimizer.name}; use adamw")
    if settings.lora and settings.lora.dropout:
        raise ConfigError("model.lora.dropout: engine verl has none; set it to 0")
    if settings.prompts_per_step % settings.optimizer.minibatches:
        raise ConfigError("optimizer.minibatches: engine verl needs a number that divides prompts_per_step")
    gpus = settings.verl.nodes * settings.verl.gpus_per_node
    if settings.prompts_per_step * settings.group_size // settings.optimizer.minibatches % gpus:
        raise ConfigError(f"prompts_per_step: the episodes of a minibatch must divide evenly over {gpus} GPUs")


def _data(settings: TrainingConfig, rules: ProtocolConfig, seed: int, places: Places) -> Keys:
    return {
        "data.train_files": str(places.train),
        "data.val_files": str(places.validation),
        "data.train_batch_size": settings.prompts_per_step,
        "data.max_prompt_length": rules.prompt_tokens,
        "data.max_response_length": rules.response_tokens,
        "data.truncation": "error",
        "data.filter_overlong_prompts": False,
        "data.return_raw_chat": True,
        "data.shuffle": False,
        "data.validation_shuffle": False,
        "data.seed": seed,
        "data.dataloader_num_workers": 0,
        "data.trust_remote_code": False,
    }


def _model(verl: VerlConfig, places: Places) -> Keys:
    return {
        f"{_MODEL}.path": str(places.base),
        f"{_MODEL}.external_lib": "tirec.training.verl_engine.cpu_engine" if verl.rollout == "hf_cpu" else None,
        f"{_MODEL}.override_config": {"attn_implementation": verl.attention},
        f"{_MODEL}.use_remove_padding": verl.attention == "flash_attention_2",
        f"{_MODEL}.enable_gradient_checkpointing": verl.gradient_checkpointing,
    }


def _adapters(lora: LoraConfig | None) -> Keys:
    """Adapters are merged into the weights that vLLM is given, as they are in what is published."""
    if lora is None:
        return {}
    shape = {"lora_rank": lora.rank, "lora_alpha": lora.alpha, "target_modules": list(lora.targets), "lora.merge": True}
    return {f"{_MODEL}.{key}": value for key, value in shape.items()}


def _actor(settings: TrainingConfig, seed: int) -> Keys:
    verl, objective = settings.verl, settings.objective
    keys = {
        "strategy": "fsdp2",
        "ppo_mini_batch_size": settings.prompts_per_step // settings.optimizer.minibatches,
        "ppo_micro_batch_size_per_gpu": verl.micro_batch,
        "ppo_epochs": 1,
        "use_dynamic_bsz": False,
        "shuffle": settings.optimizer.minibatches > 1,
        "data_loader_seed": seed,
        "grad_clip": settings.optimizer.gradient_norm,
        "use_torch_compile": verl.rollout == "vllm",
        "checkpoint.save_contents": ["model", "optimizer", "extra", "hf_model"],
        "checkpoint.load_contents": ["model", "optimizer", "extra"],
        "fsdp_config.seed": seed,
        "fsdp_config.param_offload": verl.offload_parameters,
        "fsdp_config.optimizer_offload": verl.offload_optimizer,
        "fsdp_config.entropy_from_logits_with_chunking": verl.rollout == "vllm",
        "fsdp_config.entropy_checkpointing": verl.rollout == "vllm",
        **_precision(verl),
        **_objective(objective),
        **_optimizer(settings.optimizer, settings.steps),
    }
    return {f"{_ACTOR}.{key}": value for key, value in keys.items()} | {
        "algorithm.adv_estimator": ADVANTAGES,
        "algorithm.norm_adv_by_std_in_grpo": objective.normalise_by_std,
        "algorithm.use_kl_in_reward": False,
    }


def _objective(objective: ObjectiveConfig) -> Keys:
    return {
        "clip_ratio": objective.clip_low,
        "clip_ratio_low": objective.clip_low,
        "clip_ratio_high": objective.clip_high,
        "clip_ratio_c": objective.dual_clip,
        "loss_agg_mode": "token-mean",
        "policy_loss.loss_mode": "vanilla",
        "use_kl_loss": objective.kl > 0,
        "kl_loss_coef": objective.kl,
        "kl_loss_type": "low_var_kl",
        "entropy_coeff": objective.entropy,
        "calculate_entropy": True,
    }


def _optimizer(optimizer: OptimizerConfig, steps: int) -> Keys:
    """AdamW; a rate that changes over the run needs our own, because verl's ramps begin at 0 and end in a cosine."""
    keys: Keys = {
        "optim.lr": optimizer.learning_rate,
        "optim.lr_warmup_steps": 0,
        "optim.lr_scheduler_type": "constant",
        "optim.weight_decay": optimizer.weight_decay,
        "optim.betas": [optimizer.beta1, optimizer.beta2],
        "optim.clip_grad": optimizer.gradient_norm,
    }
    if optimizer.ramp_steps == 0 and optimizer.final_share == 1:
        return keys
    ramp = {"updates": steps * optimizer.minibatches, "per_step": optimizer.minibatches}
    shape = {"ramp_steps": optimizer.ramp_steps, "final_share": optimizer.final_share}
    return keys | {
        "optim.optimizer": "RampedAdamW",
        "optim.optimizer_impl": "tirec.training.verl_engine.optimizer",
        "optim.override_optimizer_config": ramp | shape,
    }


def _base(verl: VerlConfig) -> Keys:
    """The base policy, frozen, for the KL term."""
    keys = {
        "strategy": "fsdp2",
        "log_prob_micro_batch_size_per_gpu": verl.logprob_micro_batch,
        "use_torch_compile": verl.rollout == "vllm",
        "fsdp_config.param_offload": verl.offload_base and verl.rollout == "vllm",
        **_precision(verl),
    }
    return {f"{_REF}.{key}": value for key, value in keys.items()}


def _precision(verl: VerlConfig) -> Keys:
    """Arithmetic inside FSDP; master weights stay float32."""
    return {
        "fsdp_config.model_dtype": "fp32",
        "fsdp_config.dtype": verl.precision,
        "fsdp_config.use_torch_compile": verl.rollout == "vllm",
        "fsdp_config.mixed_precision": {"param_dtype": _SHORT[verl.precision], "reduce_dtype": "fp32"},
    }


def _rollout(settings: TrainingConfig, rules: ProtocolConfig, seed: int, places: Places) -> Keys:
    verl = settings.verl
    keys = {
        "name": verl.rollout,
        "mode": "async",
        "n": settings.group_size,
        "temperature": settings.temperature,
        "top_p": 1.0,
        "top_k": -1,
        "seed": seed,
        "dtype": verl.precision,
        "tensor_model_parallel_size": verl.tensor_parallel,
        "gpu_memory_utilization": verl.gpu_memory_utilization,
        "max_model_len": rules.prompt_tokens + rules.response_tokens,
        "max_num_batched_tokens": verl.batched_tokens,
        "enable_prefix_caching": True,
        "free_cache_engine": verl.rollout == "vllm",
        "calculate_log_probs": True,
        "log_prob_micro_batch_size_per_gpu": verl.logprob_micro_batch,
        "val_kwargs.do_sample": False,
        "val_kwargs.temperature": 0,
        "val_kwargs.top_p": 1.0,
        "val_kwargs.top_k": -1,
        "val_kwargs.n": 1,
        "agent.num_workers": verl.agent_workers,
        "agent.default_agent_loop": AGENT_LOOP,
        "agent.agent_loop_config_path": str(places.agent_loop),
    }
    return {f"{_ROLLOUT}.{key}": value for key, value in keys.items()} | {"reward.num_workers": 1}


def _trainer(settings: TrainingConfig, seed: int, places: Places, resume: int | None) -> Keys:
    verl = settings.verl
    keys = {
        "use_v1": True,
        "v1.trainer_mode": "sync",
        "device": "cpu" if verl.rollout == "hf_cpu" else "cuda",
        "nnodes": verl.nodes,
        "n_gpus_per_node": verl.gpus_per_node,
        "total_epochs": 1,
        "total_training_steps": settings.steps,
        "save_freq": settings.checkpoint_every,
        "test_freq": settings.checkpoint_every,
        "val_before_train": resume is None,
        "resume_mode": "disable" if resume is None else "resume_path",
        "resume_from_path": None if resume is None else str(places.checkpoints / f"global_step_{resume}"),
        "default_local_dir": str(places.checkpoints),
        "logger": ["console"],
        "project_name": "tirec",
        "experiment_name": f"{settings.ablation}.seed{seed}",
    }
    storages = 1 if verl.rollout == "hf_cpu" else 4 * verl.nodes
    return {f"trainer.{key}": value for key, value in keys.items()} | {
        "transfer_queue.backend.SimpleStorage.num_data_storage_units": storages,
    }
