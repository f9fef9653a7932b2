"""`policy.json`: the one description that everything that predicts has in common."""

import json
from pathlib import Path
from typing import Literal

from tirec.config.base import Model, validated
from tirec.config.data import DataClass
from tirec.errors import ConfigError, DataError
from tirec.provenance import file_hash, text_hash, write_json

PolicyKind = Literal["hf", "vllm", "chat", "tabular"]


class PolicyFile(Model):
    """A policy and how it must be asked."""

    kind: PolicyKind
    """What runs it."""
    weights: str
    """Folder of the weights: absolute, or relative to the policy file."""
    tokenizer: str
    """Folder of the tokenizer, likewise."""
    template_hash: str
    """Hash of the prompt template's rendering; a policy is only asked in the words it was trained with."""
    calls: int
    """Calls an episode may make (K)."""
    base_id: str
    """Checksum of the base's weights and tokenizer."""
    data_class: DataClass
    """The most restricted class of the data it was trained on."""
    selected_step: int
    """Optimizer step of the weights; 0 for a base."""
    fingerprint: str
    """Fingerprint of the run that made it; for a base, its id."""

    @classmethod
    def read(cls, path: Path) -> "PolicyFile":
        """Reads a policy file; raises DataError where there is none or it is broken."""
        try:
            return validated(cls, json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as fault:
            raise DataError(f"{path} is no policy file: {fault}") from None

    def write(self, path: Path) -> None:
        """Writes the file, whole or not at all."""
        write_json(self.model_dump(), path)


def read_hf(path: Path) -> PolicyFile:
    """The file of a policy whose weights are a Hugging Face causal language model; ConfigError for any other kind."""
    file = PolicyFile.read(path)
    if file.kind != "hf":
        raise ConfigError(f"{path}: kind {file.kind} is not a Hugging Face model")
    return file


def folder_id(folder: Path) -> str:
    """Checksum of the files directly in a model folder, by name and content."""
    lines = [f"{path.name} {file_hash(path)}" for path in sorted(folder.iterdir()) if path.is_file()]
    return text_hash("\n".join(lines))[:16]
