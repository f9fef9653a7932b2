"""How values become words: clean one-line text, numbers that are never cut, level words from small closed lists."""

import math
import re
from typing import TypeGuard

import polars as pl

LONGEST_TEXT = 6_000
"""Characters of one record text (an impression, say) that are read; the rest is cut at a word."""

_BROKEN_NUMBER = re.compile(r"\S*$")


def one_line(text: pl.Expr) -> pl.Expr:
    """Record text on one line, without control or invisible characters; null where nothing is left."""
    flat = text.str.replace_all(r"[\p{C}\s]+", " ").str.strip_chars()
    cut = flat.str.head(LONGEST_TEXT).str.replace(r"\S*$", "").str.strip_chars_end() + " …"
    short = pl.when(flat.str.len_chars() > LONGEST_TEXT).then(cut).otherwise(flat)
    return pl.when(short != "").then(short)


def shorten(text: str, longest: int) -> str:
    """`text` in at most `longest` characters, cut between words, so that no number loses digits."""
    if len(text) <= longest:
        return text
    kept = _BROKEN_NUMBER.sub("", text[:longest]).rstrip(" ,;:")
    return f"{kept}…" if kept else "…"


def number(value: float, decimals: int = 0) -> str:
    """A number with fixed decimals and without a negative zero."""
    shown = f"{value:.{decimals}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def plain(value: float) -> str:
    """A laboratory number as written by a person: no trailing zeros, no exponent for usual sizes."""
    return f"{value:.7g}"


def count_of(n: int, singular: str, plural: str | None = None) -> str:
    """`3 readings`, `1 reading`."""
    return f"{n} {singular if n == 1 else plural or singular + 's'}"


def minutes(value: float) -> str:
    """A time span in minutes, or in hours above two hours: `34 min`, `3.5 h`."""
    return f"{number(value)} min" if value < 120 else f"{number(value / 60, 1)} h"


def days(value: float) -> str:
    """A time span in days, or in years above two years: `12 days`, `3.1 years`."""
    return count_of(round(value), "day") if value < 730 else f"{number(value / 365.25, 1)} years"


def known(value: float | None) -> TypeGuard[float]:
    """Whether a column holds an observed number (not null, not NaN)."""
    return value is not None and not math.isnan(value)


def whole(value: float | None) -> int:
    """A count from a column; 0 where it is not observed."""
    return int(value) if value is not None and not math.isnan(value) else 0


def amount(n: float, few: float, some: float) -> str:
    """Grades an amount: NONE (0), FEW (up to `few`), SOME (up to `some`), MANY."""
    if n == 0:
        return "NONE"
    return "FEW" if n <= few else "SOME" if n <= some else "MANY"
