"""How policies are asked and how predictions are scored and compared."""

from typing import Annotated, Literal

from pydantic import Field

from tirec.config.agent import ProtocolConfig, RewardConfig
from tirec.config.base import Model

Engine = Literal["hf", "vllm"]
Precision = Literal["float32", "bfloat16"]


class VllmConfig(Model):
    """The vLLM engine that reads large policies on a GPU."""

    gpu_memory: float = Field(default=0.85, gt=0, le=1)
    """Share of the GPU's memory for weights and cache."""
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs over which one policy is spread."""
    eager: bool = False
    """Without compiled graphs: starts sooner, reads more slowly."""


class EvaluationConfig(Model):
    """Intervals and comparisons."""

    draws: int = Field(default=1000, ge=1)
    """Bootstrap resamples of patients; one resample serves all tasks, settings and models."""
    seed: int = 0
    """Seed of the resamples."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """Coverage of the percentile intervals."""
    reference: str = "full"
    """Policy that the others are compared with."""
    comparisons: tuple[str, ...] = ("base", "no_match", "no_skills", "no_gbm_target")
    """Policies compared with the reference, named before seeing results; only these get a p, adjusted over the list."""
    net_benefit_at: tuple[Annotated[float, Field(gt=0, lt=1)], ...] = (0.05, 0.1, 0.2, 0.3)
    """Probabilities with a row of net benefit; acting at p >= 0.1 says that a missed case weighs nine alarms."""
    decision_curve_to: float = Field(default=0.5, gt=0.01, lt=1)
    """Highest threshold of the decision curves."""
    age_bands: Annotated[tuple[int, ...], Field(min_length=1)] = (40, 65, 80)
    """First years of the age bands in the subgroup tables, after the youngest."""
    model_comparisons: tuple[str, ...] = ("base", "teacher")
    """Rows of `main.tsv` compared with the reference, likewise named before seeing results: `base`, `teacher`, and
    names under `models`."""
    threads: int = Field(default=1, ge=1)
    """Threads of a policy that predicts on the CPU."""
    batch: int = Field(default=256, ge=1)
    """Cases that a policy answers side by side."""
    engine: Engine = "hf"
    """What reads a policy when it predicts: `hf`, plain PyTorch on CPU or GPU; `vllm`, many times faster on a GPU, from
    the environment of `environments.grpo`."""
    dtype: Precision = "float32"
    """Precision of a policy that predicts."""
    vllm: VllmConfig = VllmConfig()
    """Settings of the engine `vllm`."""


class PredictionConfig(Model):
    """What a trained or base policy predicts with."""

    protocol: ProtocolConfig = ProtocolConfig()
    """The protocol; the call budget is the policy's own."""
    reward: RewardConfig = RewardConfig()
    """The reward whose parts are written beside each episode (they change no prediction)."""
    threads: int = Field(default=1, ge=1)
    """Threads on the CPU."""
    batch: int = Field(default=256, ge=1)
    """Cases answered side by side."""
    engine: Engine = "hf"
    """What reads the policy."""
    dtype: Precision = "float32"
    """Precision of its weights and arithmetic."""
    vllm: VllmConfig = VllmConfig()
    """Settings of the engine `vllm`."""
