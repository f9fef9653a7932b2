"""Settings of the base policy: made small and warm-started here, or a local Hugging Face directory."""

from typing import Literal

from pydantic import Field

from tirec.config.base import Model


class TinyConfig(Model):
    """Shape of the demo's base, a Qwen3 architecture small enough for a laptop core."""

    hidden: int = 64
    """Width of the residual stream."""
    layers: int = 2
    """Transformer blocks."""
    heads: int = 2
    """Query heads."""
    key_value_heads: int = 1
    """Heads of keys and values, shared by the query heads."""
    head_dim: int = 32
    """Width of a head."""
    intermediate: int = 192
    """Width of the gated feed-forward layer."""
    positions: int = 1024
    """Longest sequence the rotary table is made for."""
    vocabulary: int = 900
    """Upper bound of the tokenizer's entries before the protocol's own are added."""


class TeachingConfig(Model):
    """Teaching a fresh tiny model by demonstrations."""

    steps: int = 280
    """Optimizer steps."""
    batch: int = 64
    """Demonstrations per step."""
    matrix_rate: float = 0.02
    """Learning rate of Muon on the weight matrices."""
    rate: float = 5e-3
    """Learning rate of AdamW on embeddings and norms."""
    final_share: float = 0.1
    """Share of the learning rates left at the last step (linear decay)."""
    digit_weight: float = 2.0
    """Weight of digit tokens in the cross-entropy; the reading shows in them."""


class WarmStartConfig(TeachingConfig):
    """Teaching the protocol, and roughly how to read, on demonstrations with random choices."""

    guided: float = 0.5
    """Share of demonstrations whose prompt carries random guidance sentences, tied to no task."""
    follow: float = 0.8
    """Probability that a demonstration calls a function its guidance names."""
    fewest_calls: int = 2
    """Fewest functions a demonstration calls."""
    most_calls: int = 6
    """Most functions a demonstration calls at random; followed guidance may add to it."""
    exhaust: float = 0.15
    """Share of demonstrations that call until the budget is spent, so that the sentence after it is known."""
    restricted: float = 0.0
    """Share of demonstrations with the ten rewardable functions alone and a budget of one to ten calls, as the studies
    of choosing and reading ask (`docs/studies.md`)."""
    written: float = 0.5
    """Share of those whose calls are all written by the environment, in random order, until the budget is spent."""
    severity: float = 0.9
    """Weight of one abnormal headline in the running risk, the same for every function and task."""
    guided_severity: float = 1.4
    """Weight of a headline about which the guidance says what it means."""
    offset: float = -1.5
    """Log-odds of the running risk before anything was read."""
    noise: float = 0.15
    """Standard deviation of the noise on the running risk, in log-odds."""


class LoraConfig(Model):
    """Low-rank adapters (peft) on a frozen base; the local engine saves them merged into the base's weights."""

    rank: int = Field(default=8, ge=1)
    """Rank of the adapters."""
    alpha: int = Field(default=16, gt=0)
    """Scale: the adapters' product counts alpha / rank."""
    targets: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    """Names of the linear layers that are adapted."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Dropout before the adapters, in updates only."""


class BaseConfig(Model):
    """Where the base policy comes from."""

    kind: Literal["tiny", "hf"] = "hf"
    """`tiny`: make one and warm-start it; `hf`: a local directory of a causal language model."""
    base: str | None = None
    """Local directory of the model for `hf`."""
    repository: str = "Qwen/Qwen3-4B"
    """Name on the hub of what `make model` puts there."""
    revision: str = "1cfa9a7208912126459214e8b04321603b3df60c"
    """Commit on the hub that `make model` fetches."""
    seed: int = 0
    """Seed of the first weights and of the demonstrations."""
    threads: int = 1
    """Threads of a tiny base's warm start; more than one gives up bit-for-bit repeatability."""
    tiny: TinyConfig = TinyConfig()
    """Shape of a tiny base."""
    warm_start: WarmStartConfig = WarmStartConfig()
    """Warm start of a tiny base."""
    lora: LoraConfig | None = None
    """Train low-rank adapters instead of all weights; empty: all weights."""
