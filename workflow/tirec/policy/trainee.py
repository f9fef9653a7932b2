"""A policy in training: all its weights, or adapters on a frozen base; its state, its reference, its saved form."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from tirec.config.policy import LoraConfig
from tirec.config.training import EngineConfig
from tirec.policy.hf import LoadedPolicy, load, save_model

ADAPTER = "default"


class Reference:
    """The base that the KL term compares with: a second model, or the trained one with its adapters off."""

    def __init__(self, model: PreTrainedModel, adapted: bool) -> None:
        self._model = model
        self._adapted = adapted

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self._model.device

    def __call__(self, **inputs: Any) -> Any:
        """A forward pass."""
        if not self._adapted:
            return self._model(**inputs)
        with _without_adapters(self._model):
            return self._model(**inputs)


@dataclass(frozen=True)
class Trainee:
    """The model that learns, what it is compared with, and how it is kept."""

    policy: LoadedPolicy
    reference: Reference | None
    adapted: bool

    @property
    def model(self) -> PreTrainedModel:
        """The model whose weights change."""
        return self.policy.model

    def state(self) -> dict[str, Tensor]:
        """What changes in training, for a checkpoint: all weights, or the adapters alone."""
        whole = self.model.state_dict()
        return {name: weight for name, weight in whole.items() if ".lora_" in name} if self.adapted else whole

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """The inverse of `state`."""
        self.model.load_state_dict(state, strict=not self.adapted)

    def save(self, folder: Path) -> None:
        """Writes a plain model that predicts without peft: adapters are merged into the base's weights."""
        save_model(_merged(self.model) if self.adapted else self.model, self.policy.tokenizer, folder)


def load_trainee(policy_json: Path, settings: EngineConfig) -> Trainee:
    """The policy of `policy_json` ready to be trained as `settings` say."""
    local = settings.local
    policy = load(policy_json, local.device, local.dtype, local.threads)
    if settings.lora:
        _adapt(policy.model, settings.lora)
    if local.gradient_checkpointing:
        policy.model.gradient_checkpointing_enable({"use_reentrant": False})
    adapted = settings.lora is not None
    return Trainee(policy, _reference(policy_json, policy, settings), adapted)


def _reference(policy_json: Path, policy: LoadedPolicy, settings: EngineConfig) -> Reference | None:
    """A model of its own only where it is needed: adapters can be switched off, and without KL nothing is compared."""
    if not settings.objective.kl:
        return None
    if settings.lora:
        return Reference(policy.model, adapted=True)
    local = settings.local
    return Reference(load(policy_json, local.device, local.dtype, local.threads).model, adapted=False)


def _adapt(model: PreTrainedModel, config: LoraConfig) -> None:
    """Adds adapters in place; only they are trained. Their first weights are drawn from a fixed seed."""
    from peft import LoraConfig as Adapters  # a second to import, for nothing where all weights are trained

    torch.manual_seed(0)
    shape: dict[str, Any] = {"r": config.rank, "lora_alpha": config.alpha, "lora_dropout": config.dropout}
    model.add_adapter(Adapters(target_modules=list(config.targets), bias="none", **shape), ADAPTER)
    model.eval()


@contextmanager
def _without_adapters(model: PreTrainedModel) -> Iterator[None]:
    model.disable_adapters()
    try:
        yield
    finally:
        model.enable_adapters()


def _merged(model: PreTrainedModel) -> PreTrainedModel:
    """A copy with the adapters added to the weights; the trained model itself is not touched, not by a rounding."""
    from peft.tuners.lora import Linear

    weights = {
        name.replace(".base_layer.", "."): weight for name, weight in model.state_dict().items() if ".lora_" not in name
    }
    with torch.no_grad():
        for name, layer in model.named_modules():
            if isinstance(layer, Linear):
                weights[f"{name}.weight"] = weights[f"{name}.weight"] + layer.get_delta_weight(ADAPTER)
    with torch.device("meta"):
        plain = type(model)(model.config)
    plain.load_state_dict(weights, assign=True, strict=True)
    plain.tie_weights()
    plain.generation_config = model.generation_config
    return plain
