"""What the answers of a model cost, whenever they were asked for, and which model gave them."""

from dataclasses import dataclass, field
from typing import Any

from tirec.config.chat import PriceConfig
from tirec.errors import TirecError
from tirec.policy.chat.completion import Completion


class ServedModelError(TirecError):
    """Answers of another model than the one of this entry."""


@dataclass
class Account:
    """Sums over the distinct requests of a run; answers from the cache count with what they cost when they were new."""

    price: PriceConfig
    expected: str | None = None
    requests: int = 0
    from_cache: int = 0
    unmetered: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    days: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)

    def note(self, key: str, answer: Completion, *, cached: bool) -> None:
        """Counts an answer once; raises ServedModelError if another model gave it than the answers before."""
        if key in self._seen:
            return
        self._require_model(answer.served)
        self._seen.add(key)
        self.requests += 1
        self.from_cache += cached
        self.days.add(answer.at)
        self.unmetered += answer.ending != "too_long" and answer.prompt_tokens is None
        self.prompt_tokens += answer.prompt_tokens or 0
        self.cached_tokens += answer.cached_tokens
        self.written_tokens += answer.written_tokens or 0

    def _require_model(self, served: str | None) -> None:
        if served is None:
            return
        self.expected = self.expected or served
        if served != self.expected:
            raise ServedModelError(
                f"an answer is of {served}, others are of {self.expected}: one entry is one model; name the one meant "
                "under `served`, or give the other an entry of its own"
            )

    def cost(self) -> float:
        """Price of all counted tokens."""
        cached_price = self.price.input if self.price.cached_input is None else self.price.cached_input
        read = (self.prompt_tokens - self.cached_tokens) * self.price.input + self.cached_tokens * cached_price
        return (read + self.written_tokens * self.price.output) / 1e6

    def summary(self) -> dict[str, Any]:
        """For the provenance file."""
        return {
            "served_model": self.expected,
            "first_day": min(self.days, default=None),
            "last_day": max(self.days, default=None),
            "requests": self.requests,
            "from_cache": self.from_cache,
            "without_usage": self.unmetered,
            "prompt_tokens": self.prompt_tokens,
            "cached_prompt_tokens": self.cached_tokens,
            "written_tokens": self.written_tokens,
            "cost": round(self.cost(), 6),
            "currency": self.price.currency,
        }

    def line(self) -> str:
        """One line for the log."""
        return (
            f"{self.requests} requests ({self.from_cache} answered before), {self.prompt_tokens} prompt and "
            f"{self.written_tokens} written tokens, {self.cost():.2f} {self.price.currency}, model {self.expected}"
        )
