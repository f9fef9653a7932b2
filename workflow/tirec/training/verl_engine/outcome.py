"""What the trainer is told of a finished episode: enough for history and selection, no text."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tirec.agent.environment import Outcome as CallOutcome
from tirec.agent.episode import Call, EpisodeRecord, Finish
from tirec.agent.reward import RewardParts


@dataclass(frozen=True)
class Outcome:
    """One episode; `slot` and `reward` belong to training only."""

    instance_id: int
    slot: int | None
    tokens: int
    """Tokens after the prompt."""
    finish: str
    p: float | None
    calls: Sequence[tuple[str | None, str]]
    """Function and outcome of every call."""
    reward: RewardParts | None

    @classmethod
    def of(
        cls, instance_id: int, slot: int | None, tokens: int, record: EpisodeRecord, reward: RewardParts | None
    ) -> "Outcome":
        """The outcome of an episode's record."""
        calls = [(call.function, call.outcome.value) for call in record.calls]
        return cls(instance_id, slot, tokens, record.finish.value, record.p, calls, reward)

    def to_json(self) -> str:
        """One line of JSON, as it travels through verl's queues."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        """The inverse of `to_json`."""
        content = json.loads(text)
        reward = content.pop("reward")
        return cls(**content, reward=None if reward is None else RewardParts(**reward))

    def record(self) -> EpisodeRecord:
        """The record without turns: calls carry no rows, and reward's format part cannot be computed from it."""
        calls = tuple(Call(function, CallOutcome(outcome), (), 0) for function, outcome in self.calls)
        return EpisodeRecord((), calls, Finish(self.finish), self.p, None)
