"""The demo's base: a small Qwen3-architecture causal language model with random first weights."""

import torch
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from tirec.config.policy import TinyConfig


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
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config)
