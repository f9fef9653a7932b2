"""The base policy: a small Qwen3 model made and warm-started here, or a local model that is only described."""

from pathlib import Path

import torch
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from tirec.agent.cases import Cases
from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.config.agent import ProtocolConfig
from tirec.config.cohort import TASKS
from tirec.config.data import DataClass
from tirec.config.policy import BaseConfig, TinyConfig
from tirec.errors import ConfigError, DataError
from tirec.evidence.menu import MENU, REWARDABLE, schemas
from tirec.policy.folders import link_folder, replace_folder
from tirec.policy.hf import save_model
from tirec.policy.policy_file import PolicyFile, folder_id
from tirec.policy.tokenizer import PAD, TURN_END, demo_tokenizer
from tirec.policy.warm_start import warm_start


def build_tiny(
    config: BaseConfig, cases: Cases, rules: ProtocolConfig, data_class: DataClass, output_dir: Path
) -> None:
    """Makes and warm-starts a tiny base on the texts of `cases`; writes {task}/policy.json with one set of weights."""
    torch.set_num_threads(config.threads)
    menus = (REWARDABLE,) if config.warm_start.restricted else ()
    tokenizer = demo_tokenizer(rules.prompts_folder(), schemas(MENU), config.tiny.vocabulary, menus)
    protocol = protocol_of(tokenizer, rules)
    model = new_model(tokenizer, config.tiny, config.seed)
    warm_start(model, protocol, cases, rules, config.warm_start, config.seed)
    shared = output_dir / "model"
    replace_folder(shared, lambda folder: save_model(model, tokenizer, folder))
    for task in TASKS:
        link_folder(shared, output_dir / task / "model")
        _described(shared, "model", protocol, rules, data_class).write(output_dir / task / "policy.json")


def describe_local(config: BaseConfig, rules: ProtocolConfig, output_dir: Path) -> None:
    """Writes {task}/policy.json of a local model folder, with its checksum; raises ConfigError where there is none."""
    if not config.base:
        raise ConfigError("model.base: name the local folder of the base model")
    folder = Path(config.base).resolve()
    if not (folder / "config.json").is_file():
        raise DataError(f"{config.base}: no model here (model.base)")
    protocol = protocol_of(AutoTokenizer.from_pretrained(folder, local_files_only=True), rules)
    described = _described(folder, str(folder), protocol, rules, "open")
    for task in TASKS:
        described.write(output_dir / task / "policy.json")


def _described(
    folder: Path, weights: str, protocol: ChatProtocol, rules: ProtocolConfig, data_class: DataClass
) -> PolicyFile:
    base_id = folder_id(folder)
    return PolicyFile(
        kind="hf",
        weights=weights,
        tokenizer=weights,
        template_hash=protocol.template_hash,
        calls=rules.calls,
        base_id=base_id,
        data_class=data_class,
        selected_step=0,
        fingerprint=base_id,
    )


def new_model(tokenizer: PreTrainedTokenizerFast, shape: TinyConfig, seed: int) -> Qwen3ForCausalLM:
    """A Qwen3 causal language model of `shape` with weights drawn from `seed`; float32, tied embeddings."""
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_value_heads,
        head_dim=shape.head_dim,
        intermediate_size=shape.intermediate,
        max_position_embeddings=shape.positions,
        tie_word_embeddings=True,
        attention_dropout=0.0,
        bos_token_id=None,
        eos_token_id=tokenizer.get_vocab()[TURN_END],
        pad_token_id=tokenizer.get_vocab()[PAD],
    )
    return Qwen3ForCausalLM(config)
