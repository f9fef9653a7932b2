"""A chat model beside the policies: where it is asked, in which protocol, with which evidence, at what price."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from tirec.config.agent import ProtocolConfig, RewardConfig
from tirec.config.base import Model
from tirec.config.governance import GovernanceConfig

_OURS = frozenset({"model", "messages", "tools", "tool_choice", "stream", "n"})


class DecodingConfig(Model):
    """What is asked of the server besides the messages; a null leaves the field out of the request."""

    temperature: float | None = Field(default=0.0, ge=0)
    """0 is greedy. Some hosted models refuse the field: null."""
    max_tokens: int | None = Field(default=1024, ge=1)
    """Tokens a model may write in one turn."""
    seed: int | None = 0
    """Seed of the server's sampler."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request, such as `reasoning_effort: low`; a null drops one: `max_tokens: null`."""

    @model_validator(mode="after")
    def _leaves_the_protocol_alone(self) -> "DecodingConfig":
        if taken := sorted(_OURS & set(self.extra)):
            raise ValueError(f"extra.{taken[0]} is the protocol's to set")
        return self

    def fields(self) -> dict[str, Any]:
        """The fields of the request, `extra` last; those that are None are to be left out."""
        return {"temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed, **self.extra}


class RetriesConfig(Model):
    """How long a server may be busy or broken."""

    attempts: int = Field(default=8, ge=1)
    """Tries of one request, the first included."""
    first_wait_s: float = Field(default=1.0, gt=0)
    """Wait before the second try; it doubles each time, and as much again is added at random."""
    longest_wait_s: float = Field(default=60.0, gt=0)
    """Where the doubling ends."""
    longest_retry_after_s: float = Field(default=600.0, gt=0)
    """A server that asks for more patience (Retry-After) than this stops the run; the answers so far are kept."""


class PriceConfig(Model):
    """Price of a million tokens."""

    input: float = Field(default=0.0, ge=0)
    """Of the prompt."""
    cached_input: float | None = Field(default=None, ge=0)
    """Of prompt tokens that the server says it read from its cache; as `input` where empty."""
    output: float = Field(default=0.0, ge=0)
    """Of what the model writes, hidden reasoning included."""
    currency: str = "USD"
    """Currency of the three."""


class ServeConfig(Model):
    """A vLLM server that the rule starts on its node, asks over loopback, and stops (`environments.vllm`)."""

    weights: str
    """Local directory of the model, as from `make model`."""
    tool_parser: str = "hermes"
    """vLLM's parser of native calls (`mode: native` only)."""
    arguments: tuple[str, ...] = ()
    """Further arguments of the server, such as `--tensor-parallel-size`, `4`."""
    gpus: int = Field(default=1, ge=0)
    """GPUs the rule asks for."""
    start_timeout_s: float = Field(default=1800, gt=0)
    """How long the server may take until it is healthy."""


class FewShotConfig(Model):
    """Which training cases are shown in `variant: few_shot`."""

    examples: int = Field(default=4, ge=1)
    """Cases of the same task and setting; half of them, rounded up, with the outcome."""
    seed: int = Field(default=0, ge=0)
    """Seed of the choice."""


class ChatConfig(Model):
    """One chat model under one way of asking."""

    kind: Literal["chat"]
    """A model behind an OpenAI-compatible endpoint."""
    model: str = Field(min_length=1)
    """Name of the model, as the server knows it."""
    base_url: str | None = None
    """Endpoint up to and with `/v1`; empty where `serve` starts one."""
    serve: ServeConfig | None = None
    """Start the server instead of naming one."""
    mode: Literal["text", "native"] = "text"
    """`text`: the policies' own protocol; `native`: the server's tool calling, mapped onto the same outcomes."""
    functions: Literal["message", "template"] = "message"
    """`mode: text` only. How the model learns of the functions: from the system message, or, with a server that lists
    `tools` under `tool_choice: none` (vLLM), from the model's own chat template."""
    variant: Literal["agent", "few_shot", "full_context"] = "agent"
    """`agent`: zero-shot; `few_shot`: with training cases and their outcomes; `full_context`: all observations at once,
    no calls."""
    few_shot: FewShotConfig = FewShotConfig()
    """The examples."""
    decoding: DecodingConfig = DecodingConfig()
    """Decoding."""
    concurrency: int = Field(default=16, ge=1)
    """Episodes played side by side."""
    timeout_s: float = Field(default=300, gt=0)
    """How long one request may take."""
    retries: RetriesConfig = RetriesConfig()
    """Patience."""
    price: PriceConfig = PriceConfig()
    """Prices, for the account in the provenance file."""
    key_env: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")] | None = None
    """Name of the environment variable that holds the key; never the key itself."""
    served: str | None = None
    """The id under which the server must answer, such as a dated snapshot; else whatever it says first, throughout."""
    attestation: str | None = None
    """Signed file that allows credentialed rows to go to this endpoint (docs/models.md); a relative path counts from
    the repository."""

    @model_validator(mode="after")
    def _fits_together(self) -> "ChatConfig":
        if (self.base_url is None) == (self.serve is None):
            raise ValueError("name either base_url or serve")
        if self.mode == "native" and self.functions == "template":
            raise ValueError("functions: template belongs to mode: text")
        if self.variant == "full_context" and (self.mode, self.functions) != ("text", "message"):
            raise ValueError("full_context calls nothing: leave mode and functions out")
        return self


class ChatPredictionConfig(Model):
    """What a chat model predicts with."""

    chat: ChatConfig
    """The model."""
    protocol: ProtocolConfig = ProtocolConfig()
    """The protocol; its token budgets are those of policies, a chat model has `decoding.max_tokens`."""
    reward: RewardConfig = RewardConfig()
    """The reward whose parts are written beside each episode (they change no prediction)."""
    governance: GovernanceConfig = GovernanceConfig()
    """Where rows may go."""
    dataset: str
    """Name of the data set, as attestations call it."""
