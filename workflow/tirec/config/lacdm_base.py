"""The base policy of LA-CDM: a local instruction-tuned model with adapters, or a tiny one made here."""

from typing import Literal

from pydantic import Field

from tirec.config.base import Model
from tirec.config.policy import LoraConfig, TeachingConfig, TinyConfig


class CdmWarmStartConfig(TeachingConfig):
    """Teaching a tiny base both agents' protocol, and to read a handful of words, on random choices."""

    fewest_tests: int = Field(default=0, ge=0)
    """Fewest tests a demonstration orders."""
    most_tests: int = Field(default=6, ge=1)
    """Most tests it orders, drawn at random, in the menu's order."""
    alone: float = Field(default=0.4, ge=0, le=1)
    """Share of demonstrations in which the decision agent plays without hypotheses."""
    strength: float = Field(default=1.0, ge=0)
    """How much one word about an organ counts against the noise of a guess (log odds)."""
    boast: float = Field(default=0.8, ge=0, le=1)
    """Share of stated confidences drawn from 6-10; the others from 0-10. None depends on the case."""


class CdmBaseConfig(Model):
    """Where the base comes from and what of it is trained."""

    kind: Literal["tiny", "hf"] = "hf"
    """`tiny`: make one and warm-start it; `hf`: a local directory of a causal language model."""
    base: str = "models/Qwen2.5-7B-Instruct"
    """Local directory of the model for `hf`."""
    seed: int = 0
    """Seed of a tiny base's first weights and demonstrations."""
    threads: int = 1
    """Threads of a tiny base's warm start."""
    tiny: TinyConfig = TinyConfig()
    """Shape of a tiny base."""
    warm_start: CdmWarmStartConfig = CdmWarmStartConfig()
    """Warm start of a tiny base."""
    lora: LoraConfig | None = LoraConfig(rank=8, alpha=16, dropout=0.1)
    """Adapters, the published shape; empty: all weights are trained."""
