"""A Hugging Face causal language model as a policy: loading, saving, and greedy episodes for evaluation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast
from transformers.utils import logging

from tirec.agent.cases import Case
from tirec.agent.prompt import ChatProtocol
from tirec.agent.tokens import TokenEpisode, TurnEnd, greedy_episodes
from tirec.config.agent import ProtocolConfig
from tirec.errors import DataError
from tirec.policy.policy_file import PolicyFile, read_hf
from tirec.policy.rollout import play


@dataclass(frozen=True)
class LoadedPolicy:
    """A model with its tokenizer and the file that describes it."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    file: PolicyFile


def predict_episodes(
    policy: LoadedPolicy, protocol: ChatProtocol, cases: Iterable[Case], rules: ProtocolConfig, batch: int = 256
) -> Iterator[tuple[Case, TokenEpisode]]:
    """Greedy episodes without skills on `cases`, in their order, played batch by batch as they are asked for."""
    turn_end = TurnEnd(protocol)
    return greedy_episodes(partial(play, policy.model, turn_end), protocol, cases, rules, batch)


def load(policy_json: Path, device: str = "auto", dtype: str = "float32", threads: int = 1) -> LoadedPolicy:
    """Loads the policy that `policy_json` describes."""
    file = read_hf(policy_json)
    torch.set_num_threads(threads)
    model, tokenizer = load_model(policy_json.parent / file.weights, device, dtype)
    return LoadedPolicy(model, tokenizer, file)


def load_model(folder: Path, device: str, dtype: str) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """Model and tokenizer of a local folder, ready to predict; never asks a hub. DataError where there is none."""
    if not (folder / "config.json").is_file():
        raise DataError(f"{folder}: no model here (model.base)")
    logging.disable_progress_bar()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, dtype=getattr(torch, dtype))
    return model.to(chosen_device(device)).eval(), tokenizer


def save_model(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Writes model and tokenizer into a folder; DataError with the reason where the weights cannot be written."""
    try:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    except SafetensorError as fault:
        raise DataError(f"{folder}: the weights could not be written ({fault})") from None


def chosen_device(device: str) -> str:
    """`auto` is a GPU where there is one."""
    if device != "auto":
        return device
    return "cuda" if torch.cuda.is_available() else "cpu"
