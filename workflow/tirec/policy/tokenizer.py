"""The demo's tokenizer: byte-level, learned from schema and template phrases alone, before any observation exists.

It splits text as Qwen's does (single digits), knows the same tags, and writes the same protocol through its own chat
template. What the protocol always writes in one piece (the frame of a prompt, the scaffold of a call, the turn around
an observation) is one token, so that a very small model spends its few tokens on what differs between cases.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from tirec.agent.cases import Case
from tirec.agent.prompt import ChatProtocol
from tirec.config.cohort import INSTANCE_SETS, TASKS
from tirec.policy.reading import LEVELS, WORDS, answer_turn, call_turn

PAD, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CONTROL = (PAD, TURN_START, TURN_END)
TAGS = (
    *("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
    *("<think>", "</think>", "<answer>", "</answer>"),
)
# Qwen's own split, with the underscore counted as a letter so that a function name stays one word.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}_]+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHAT_TEMPLATE = r"""
{%- for message in messages -%}
{%- if message.role == 'tool' -%}
<|im_start|>user\n<tool_response>\n{{ message.content }}\n</tool_response><|im_end|>\n
{%- else -%}
<|im_start|>{{ message.role }}\n{{ message.content }}
{%- if tools and loop.first %}\n# Tools{% for tool in tools %} {{ tool.function.name }}{% endfor %}{% endif -%}
<|im_end|>\n
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
<|im_start|>assistant\n{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}
{%- endif -%}
""".replace("\\n", "{{ '\\n' }}")
_NAME, _RISK, _VIEW = "⟦name⟧", "⟦risk⟧", "⟦view⟧"


def demo_tokenizer(
    prompts: Path, schemas: Sequence[dict[str, Any]], vocabulary: int, menus: Iterable[Collection[str]] = ()
) -> PreTrainedTokenizerFast:
    """A tokenizer for the given prompt templates and functions; about `vocabulary` entries.

    `menus` are selections of the functions whose prompts have frames of one token too.
    """
    functions = [schema["function"] for schema in schemas]
    names = [function["name"] for function in functions]
    described = [word for function in functions for word in function["description"].split()]
    corpus = [*template_texts(prompts), *each_way([*names, *WORDS, *described])]
    whole = sorted({*names, *LEVELS})
    draft: Any = wrapped(learned(corpus, vocabulary, whole))
    selections = [schemas, *([one for one in schemas if one["function"]["name"] in menu] for menu in menus)]
    frames = {frame for chosen in selections for frame in _frames(ChatProtocol(draft, prompts, chosen))}
    return with_frames(corpus, vocabulary, whole, sorted(frames))


def with_frames(
    corpus: Sequence[str], vocabulary: int, whole: Sequence[str], frames: Sequence[str]
) -> PreTrainedTokenizerFast:
    """A tokenizer learned from `corpus` in which every text of `whole` and `frames` is one token."""
    tokenizer = learned(corpus, vocabulary, whole)
    tokenizer.add_tokens([AddedToken(frame, normalized=False) for frame in frames])
    return wrapped(tokenizer)


def template_texts(prompts: Path) -> list[str]:
    """Every prompt template of a folder."""
    return [path.read_text(encoding="utf-8") for path in sorted(prompts.glob("*.j2"))]


def each_way(words: Iterable[str]) -> list[str]:
    """Every word at the start of a text and after a space: two different pieces of bytes."""
    return [text for word in words for text in (word, f" {word}")]


def learned(corpus: Sequence[str], vocabulary: int, whole: Sequence[str]) -> Tokenizer:
    """Byte-level pieces learned from `corpus`, with the tags and every word of `whole` as one token each."""
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(SPLIT), "isolated")
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, bytes_only])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=list(CONTROL),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus, trainer)
    tokenizer.add_tokens([AddedToken(tag, normalized=False) for tag in TAGS])
    tokenizer.add_tokens([AddedToken(word, normalized=False, single_word=True) for word in whole])
    return tokenizer


def wrapped(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The tokenizer with its chat template."""
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=TURN_END,
        chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def _frames(protocol: ChatProtocol) -> list[str]:
    """The texts that the protocol always writes as one piece."""
    pieces = protocol.pieces
    asked = [call_turn(task, _RISK, _NAME).partition(_RISK) for task in TASKS]
    answered = [answer_turn(task, _RISK).partition(_RISK) for task in TASKS]
    before_name, _, after_name = asked[0][2].partition(_NAME)
    prompts = [_blank_prompt(protocol, task, setting).partition(_VIEW) for task, setting in INSTANCE_SETS]
    frames = {
        *(f"{before}0." for before, _, _ in (*asked, *answered)),
        *(before_name, after_name, answered[0][2]),
        pieces.before_observation,
        pieces.after_observation,
        pieces.after_last_observation,
        pieces.answer_turn,
        _shared_start([before for before, _, _ in prompts]),
        prompts[0][2],
    }
    return sorted(frames - {""})


def _shared_start(texts: Sequence[str]) -> str:
    """What all texts begin with: the lowest and the highest in order differ first."""
    low, high = min(texts), max(texts)
    return next((low[:at] for at, mark in enumerate(low) if not high.startswith(mark, at)), low)


def _blank_prompt(protocol: ChatProtocol, task: str, setting: str) -> str:
    case = Case(0, task, setting, 0, "train", None, 0, None, (), "", {}, {})
    return protocol.render(protocol.words.messages(case, _VIEW, ()))
