"""The weights that verl leaves at a checkpoint as a plain Hugging Face model, adapters merged."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig, PreTrainedModel

from tirec.config.policy import LoraConfig
from tirec.errors import DataError
from tirec.policy.hf import load_model

_PEFT = "base_model.model."
_DOWN, _UP = ".lora_A.", ".lora_B."


def load_saved(folder: Path, dtype: str, lora: LoraConfig | None) -> PreTrainedModel:
    """The model of verl's `huggingface` folder, on the CPU, in `dtype`; with `lora`, adapters are merged into it."""
    if lora is None:
        return load_model(folder, "cpu", dtype)[0]
    saved: dict[str, Tensor] = {}
    for shard in sorted(folder.glob("*.safetensors")):
        saved |= load_file(shard)
    config: Any = AutoConfig.from_pretrained(folder, local_files_only=True)
    told: Any = {"config": config, "state_dict": merged(saved, lora), "dtype": getattr(torch, dtype)}
    kind: Any = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]
    model, found = kind.from_pretrained(None, output_loading_info=True, **told)
    if found["missing_keys"]:
        raise DataError(f"{folder}: no weights of {min(found['missing_keys'])}")
    return model.eval()


def merged(saved: Mapping[str, Tensor], lora: LoraConfig) -> dict[str, Tensor]:
    """Plain weights from those of a peft model: W + alpha / rank · B A where there are adapters, in float32."""
    plain = {
        name.removeprefix(_PEFT).replace(".base_layer.", "."): weight.float()
        for name, weight in saved.items()
        if ".lora_" not in name
    }
    for name, down in saved.items():
        if _DOWN in name:
            target = name.removeprefix(_PEFT).partition(_DOWN)[0] + ".weight"
            up = saved[name.replace(_DOWN, _UP)]
            plain[target] = plain[target] + lora.alpha / lora.rank * up.float() @ down.float()
    return plain
