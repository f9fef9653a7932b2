"""What `engine: verl` needs beside the published values: GPUs, memory, precision. Mapped onto verl's own keys by
`tirec.training.verl_engine.settings`."""

from typing import Literal

from pydantic import Field, model_validator

from tirec.config.base import Model


class VerlConfig(Model):
    """verl with vLLM on GPUs, as published on one node of four; or verl's trainer as it is on CPUs, for tests."""

    rollout: Literal["vllm", "hf_cpu"] = "vllm"
    """What plays episodes: `vllm` on GPUs; `hf_cpu` puts the whole trainer on CPUs, for very small models."""
    nodes: int = Field(default=1, ge=1)
    """Nodes of the job."""
    gpus_per_node: int = Field(default=4, ge=1)
    """GPUs of each node; processes that stand for them with `hf_cpu`."""
    precision: Literal["bfloat16", "float32"] = "bfloat16"
    """Arithmetic of training and rollout, and of the published weights; master weights are float32."""
    attention: Literal["flash_attention_2", "sdpa"] = "flash_attention_2"
    """Attention kernel; flash attention also trains without padding."""
    micro_batch: int = Field(default=1, ge=1)
    """Sequences per GPU in one forward and backward pass."""
    logprob_micro_batch: int = Field(default=1, ge=1)
    """Sequences per GPU in one forward pass without gradients."""
    gpu_memory_utilization: float = Field(default=0.6, gt=0, lt=1)
    """Share of a GPU's memory that vLLM may take."""
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs that share one vLLM instance."""
    batched_tokens: int = Field(default=16384, ge=1)
    """Tokens that vLLM reads in one pass."""
    gradient_checkpointing: bool = True
    """Recompute activations in the backward pass: less memory, more time."""
    offload_parameters: bool = False
    """Keep the policy's weights in main memory while vLLM plays."""
    offload_optimizer: bool = False
    """Keep the optimizer's state in main memory while vLLM plays."""
    offload_base: bool = True
    """Keep the base's weights, needed for the KL term, in main memory."""
    agent_workers: int = Field(default=8, ge=1)
    """Processes that drive episodes."""

    @model_validator(mode="after")
    def _fits_together(self) -> "VerlConfig":
        if self.rollout == "hf_cpu" and (self.precision, self.attention) != ("float32", "sdpa"):
            raise ValueError("rollout hf_cpu needs precision float32 and attention sdpa")
        if (self.nodes * self.gpus_per_node) % self.tensor_parallel:
            raise ValueError("tensor_parallel must divide the number of GPUs")
        return self


PLACEMENT = frozenset(VerlConfig.model_fields) - {"rollout", "nodes", "gpus_per_node", "precision"}
"""Keys that change where and how fast a run computes, not what: a run resumes when they change."""
