"""What a trainer eats: token ids, which of them the model wrote, and what became of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Sample:
    """One sequence to learn from; an episode yields one or more."""

    ids: Sequence[int]
    """Prompt, everything the model wrote and everything the environment inserted, in order."""
    mask: Sequence[int]
    """1 where the model wrote the token, 0 elsewhere; as long as `ids`."""
    logprobs: Sequence[float]
    """Log-probability of each written token when it was sampled, 0 elsewhere; as long as `ids`."""
    group: int
    """Rollouts of one prompt (one case, one set of kept skill sentences) share a group."""
    case: int
    """Instance the sequence is about, for messages."""
    loss: Literal["policy", "cross_entropy"] = "policy"
    """Which objective the written tokens enter."""
    weight: float = 1.0
    """Factor of this sample's tokens in the objective."""
    advantage: float = 0.0
    """Group-relative advantage of the whole episode."""

    def __post_init__(self) -> None:
        if not len(self.ids) == len(self.mask) == len(self.logprobs):
            raise ValueError(
                f"{len(self.ids)} ids, {len(self.mask)} mask entries, {len(self.logprobs)} log-probabilities"
            )

    @property
    def written(self) -> int:
        """Number of tokens the model wrote."""
        return sum(self.mask)
