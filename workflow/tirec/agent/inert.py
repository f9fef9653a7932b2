"""Record text that cannot speak: no tag and no control token of a tokenizer can arise from it."""

import re
from typing import Any, Protocol

_TAG_OPENER = re.compile(r"[<＜﹤](?=[A-Za-z/|!?])")
_SYNTAX = frozenset("<>|[]{}")


class ChatTokenizer(Protocol):
    """The part of a Hugging Face fast tokenizer that the protocol uses."""

    chat_template: Any
    eos_token_id: Any

    def apply_chat_template(self, conversation: list[dict[str, Any]], **kwargs: Any) -> Any:
        """Renders messages and tool schemas."""
        ...

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Token ids of a text."""
        ...

    def decode(self, token_ids: Any, **kwargs: Any) -> Any:
        """Text of token ids."""
        ...

    def get_vocab(self) -> dict[str, int]:
        """Token to id."""
        ...

    @property
    def added_tokens_decoder(self) -> dict[int, Any]:
        """Added tokens by id, each with `content` and `special`."""
        ...


def escape_tags(text: str) -> str:
    """Record text in which no tag opens: a `<` before a letter, `/`, `|`, `!` or `?` becomes `‹`."""
    return _TAG_OPENER.sub("‹", text)


class InertText:
    """Makes record text inert: no tag and no control token of the tokenizer can arise from it; `<0.01` stays."""

    def __init__(self, tokenizer: ChatTokenizer) -> None:
        added = tokenizer.added_tokens_decoder
        self.control = frozenset(
            token for token, entry in added.items() if entry.special or _SYNTAX & set(entry.content)
        )
        contents = sorted({added[token].content.strip() for token in self.control} - {""}, key=len, reverse=True)
        alternatives = "|".join(re.escape(escape_tags(content)) for content in contents)
        self._control_text = re.compile(alternatives) if alternatives else None

    def __call__(self, text: str) -> str:
        """The text with tags opened by `‹` and other control strings split after their first character."""
        escaped = escape_tags(text)
        if self._control_text is None:
            return escaped
        return self._control_text.sub(_split, escaped)


def _split(match: re.Match[str]) -> str:
    found = match[0]
    return found if found[0] == "‹" else f"{found[0]} {found[1:]}"
