"""A second architecture with a chat template of its own: a very small Llama with random weights."""

from pathlib import Path

import tiny_policy as tiny
import torch
from tokenizers import AddedToken
from transformers import LlamaConfig, LlamaForCausalLM

from tirec.config.policy import BaseConfig
from tirec.policy.base import describe_local
from tirec.policy.hf import save_model
from tirec.policy.tokenizer import demo_tokenizer

HEADER, HEADER_END, TURN_END = "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"
# As Llama 3 writes: a header names who speaks, tool answers are an `ipython` turn, functions stand in the system turn.
TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- set speaker = 'ipython' if message.role == 'tool' else message.role -%}"
    "<|start_header_id|>{{ speaker }}<|end_header_id|>{{ '\\n\\n' }}"
    "{%- if tools and loop.first -%}Functions:"
    "{% for tool in tools %} {{ tool.function.name }}{% endfor %}{{ '\\n' }}{%- endif -%}"
    "{{ message.content }}<|eot_id|>"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}<|start_header_id|>assistant<|end_header_id|>{{ '\\n\\n' }}{%- endif -%}"
)


def tokenizer():
    """The demo's vocabulary under Llama's control tokens and template."""
    made = demo_tokenizer(Path(tiny.RULES.prompts), tiny.protocol().schemas, tiny.SHAPE.vocabulary)
    made.add_tokens([AddedToken(text, special=True, normalized=False) for text in (HEADER, HEADER_END, TURN_END)])
    made.chat_template = TEMPLATE
    made.eos_token = TURN_END
    return made


def write_base(folder: Path) -> Path:
    """A local base model as `model.kind: hf` finds it; the folder of {task}/policy.json."""
    words = tokenizer()
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16}
    ends = {"bos_token_id": None, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    config = LlamaConfig(vocab_size=len(words), **shape, **heads, **ends, max_position_embeddings=1024)
    save_model(LlamaForCausalLM(config), words, folder / "llama")
    describe_local(BaseConfig(base=str(folder / "llama")), tiny.RULES, folder / "base")
    return folder / "base"
