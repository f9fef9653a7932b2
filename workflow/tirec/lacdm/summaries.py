"""Histories in a few sentences, the published initial state: a local instruction-tuned model, asked greedily."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tirec.agent.inert import InertText
from tirec.config.lacdm import SummaryConfig
from tirec.errors import ConfigError
from tirec.policy.decoding import Decoder


class Summariser:
    """A model with the words in which it is asked; the history enters as inert text."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, template: Path, rules: SummaryConfig
    ) -> None:
        self._model, self._tokenizer, self._rules = model, tokenizer, rules
        self._inert = InertText(tokenizer)
        self._template = _template(template)
        self._ends = _ends(model, tokenizer)

    def prompt(self, history: str) -> list[int]:
        """Token ids of one request; a history longer than `prompt_tokens` is cut at its end."""
        ids = self._asked(history)
        over = len(ids) - self._rules.prompt_tokens
        if over <= 0:
            return ids
        words = self._tokenizer.encode(self._inert(history), add_special_tokens=False)
        return self._asked(self._read(words[: max(0, len(words) - over)]))

    def _read(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=True)).strip()

    def _asked(self, history: str) -> list[int]:
        said = self._template.render(history=self._inert(" ".join(history.split())))
        text: Any = self._tokenizer.apply_chat_template(
            [{"role": "user", "content": said}], tokenize=False, add_generation_prompt=True, enable_thinking=False
        )
        return self._tokenizer.encode(text, add_special_tokens=False)

    def write(self, histories: Sequence[str]) -> list[str]:
        """The summaries of some histories, written side by side."""
        decoder = Decoder(self._model)
        logits = decoder.feed([self.prompt(history) for history in histories])
        written: list[list[int]] = [[] for _ in histories]
        running = list(range(len(histories)))
        for _ in range(self._rules.tokens):
            newest = logits.argmax(-1).tolist()
            for place in running:
                written[place].append(newest[place])
            running = [place for place in running if newest[place] not in self._ends]
            if not running:
                break
            logits = decoder.feed([[newest[place]] if place in running else [] for place in range(len(histories))])
        return [self._read(ids) for ids in written]


def summaries(summariser: Summariser, history: pl.DataFrame, batch: int) -> Iterator[pl.DataFrame]:
    """hadm_id and summary, batch by batch of histories of about the same length."""
    ordered = history.sort(pl.col("text").str.len_chars(), "hadm_id")
    for part in ordered.iter_slices(batch):
        texts = summariser.write(part["text"].fill_null("").to_list())
        yield part.select("hadm_id", summary=pl.Series(texts, dtype=pl.String))


def _template(path: Path) -> jinja2.Template:
    try:
        return jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such prompt; set lacdm.summary.prompt") from None


def _ends(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> frozenset[int]:
    """The ids at which a text ends, by the tokenizer and by the model's own configuration of generation."""
    found: Any = getattr(model.generation_config, "eos_token_id", None)
    listed = found if isinstance(found, list) else [found]
    return frozenset(token for token in (tokenizer.eos_token_id, *listed) if isinstance(token, int))
