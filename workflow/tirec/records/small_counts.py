"""Small counts of credentialed data: none under 11 is shown, nor any from which one could be worked out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tirec.config.data import DataClass

SMALL = 11
"""Counts of fewer patients or visits than this are written `<11` for credentialed data."""
HIDDEN = "–"


@dataclass(frozen=True)
class Counts:
    """How counts are written."""

    suppressed: bool

    @classmethod
    def of(cls, data_class: DataClass | str) -> "Counts":
        """Small ones are hidden where the data are credentialed."""
        return cls(suppressed=data_class == "credentialed")

    def small(self, n: int) -> bool:
        """Whether a count must not be shown."""
        return self.suppressed and 0 < n < SMALL

    def text(self, n: int) -> str:
        """A count as written."""
        return f"<{SMALL}" if self.small(n) else f"{n:,}"

    def also_hidden(self, columns: Sequence[Mapping[str, int]]) -> frozenset[str]:
        """Names hidden in every column, because in one a single small part could be worked out from the total."""
        hidden: set[str] = set()
        for counts in columns:
            out = [name for name, n in counts.items() if self.small(n) or (n and name in hidden)]
            others = sorted((n, name) for name, n in counts.items() if n and name not in out)
            if len(out) == 1 and others:
                hidden.add(others[0][1])
        return frozenset(hidden)

    def share(self, positive: int, n: int) -> str:
        """A prevalence as written; with one class there is none, and a small class would show through."""
        if positive in (0, n):
            return "undefined"
        return HIDDEN if self.small(positive) or self.small(n - positive) else f"{positive / n:.1%}"
