"""An episode in token ids: append-only, with a mask of what the model wrote and its log-probabilities."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from tirec.agent.cases import Case
from tirec.agent.environment import Environment, RecordEnvironment
from tirec.agent.episode import AfterBudget, Episode, Reply, Stop
from tirec.agent.parse import turn_closed
from tirec.agent.prompt import ChatProtocol
from tirec.config.agent import ProtocolConfig

# A closing tag has at most 12 characters and a token at least one, so this window always holds the whole tag.
_WINDOW = 16


class TurnEnd:
    """Tells after each sampled token whether the turn is over; decodes only when the token could close a tag."""

    def __init__(self, protocol: ChatProtocol) -> None:
        self._decode = protocol.decode
        self._ends = protocol.end_ids
        self._closers = frozenset(token for text, token in protocol.tokenizer.get_vocab().items() if ">" in text)
        alone = {token for token in self._closers if turn_closed(protocol.decode([token]))}
        self.closing_ids = frozenset(alone | self._ends)
        """Tokens that end a turn by themselves, whatever stands before them."""

    def stop(self, turn: Sequence[int]) -> Stop | None:
        """Why the turn ends with its newest token, or None if it goes on."""
        newest = turn[-1]
        if newest in self._ends:
            return Stop.END
        if newest in self._closers and turn_closed(self._decode(turn[-_WINDOW:])):
            return Stop.CLOSED
        return None

    def first(self, ids: Sequence[int]) -> tuple[int, Stop | None]:
        """Where in `ids`, sampled in one go, the turn ends: the number of its tokens and why, None if it does not."""
        for end in range(1, len(ids) + 1):
            stop = self.stop(ids[max(0, end - _WINDOW) : end])
            if stop is not None:
                return end, stop
        return len(ids), None


class TokenEpisode:
    """An Episode whose turns are token ids; `response`, `mask` and `logprobs` only ever grow, together."""

    def __init__(
        self,
        protocol: ChatProtocol,
        environment: Environment,
        prompt: list[int],
        calls: int = 12,
        after_budget: AfterBudget = "answer_turn",
        response_tokens: int = 8192,
    ) -> None:
        self._protocol = protocol
        self._budget = response_tokens
        self.episode = Episode(environment, calls, after_budget, protocol.notices)
        self.prompt = prompt
        self.response: list[int] = []
        self.mask: list[int] = []
        self.logprobs: list[float] = []

    @classmethod
    def training(
        cls,
        protocol: ChatProtocol,
        case: Case,
        sentences: Sequence[str],
        rules: ProtocolConfig,
        menu: Collection[str] | None = None,
    ) -> "TokenEpisode":
        """An episode whose prompt carries the retained skill sentences."""
        return cls._start(protocol, case, protocol.training_prompt_ids(case, sentences), rules, menu)

    @classmethod
    def evaluation(
        cls, protocol: ChatProtocol, case: Case, rules: ProtocolConfig, menu: Collection[str] | None = None
    ) -> "TokenEpisode":
        """An episode of validation or test: no skills can be passed."""
        return cls._start(protocol, case, protocol.evaluation_prompt_ids(case), rules, menu)

    @classmethod
    def _start(
        cls,
        protocol: ChatProtocol,
        case: Case,
        prompt: list[int],
        rules: ProtocolConfig,
        menu: Collection[str] | None,
    ) -> "TokenEpisode":
        environment = RecordEnvironment(case, menu)
        return cls(protocol, environment, prompt, rules.calls, rules.after_budget, rules.response_tokens)

    @property
    def remaining(self) -> int:
        """Tokens that the next turn may use at most."""
        return self._budget - len(self.response)

    @property
    def finished(self) -> bool:
        """Whether the episode has ended."""
        return self.episode.finished

    @property
    def written(self) -> int:
        """Number of tokens the model wrote."""
        return sum(self.mask)

    def accept(self, ids: Sequence[int], logprobs: Sequence[float], stop: Stop) -> list[int] | None:
        """Takes the ids of one turn as sampled; returns the ids inserted after it, or None when finished.

        `ids` includes the token that stopped the turn; `logprobs` are the sampler's, one per id.
        """
        if len(ids) != len(logprobs):
            raise ValueError(f"{len(ids)} ids with {len(logprobs)} log-probabilities")
        if len(ids) > self.remaining:
            raise ValueError(f"a turn of {len(ids)} tokens where {self.remaining} were left")
        self._append(ids, 1, logprobs)
        ended = bool(ids) and ids[-1] in self._protocol.end_ids
        text = self._protocol.decode(ids[:-1] if ended else ids)
        return self._insert(self.episode.take(text, stop), ended=ended)

    def write_call(self, name: str) -> list[int] | None:
        """The environment calls function `name` itself (studies); returns all ids appended, or None when finished."""
        call = self._protocol.call_ids(name)
        if len(call) > self.remaining:
            self.episode.out_of_room()
            return None
        self._append(call, 0, [0.0] * len(call))
        inserted = self._insert(self.episode.take(self._protocol.decode(call), Stop.CLOSED, forced=True), ended=False)
        return None if inserted is None else call + inserted

    def _insert(self, reply: Reply | None, *, ended: bool) -> list[int] | None:
        """Appends a reply; an observation that leaves no room for a next token ends the episode instead."""
        if reply is None:
            return None
        ids = self._protocol.reply_ids(reply, ended=ended)
        if len(ids) >= self.remaining:
            self.episode.out_of_room()
            return None
        self._append(ids, 0, [0.0] * len(ids))
        return ids

    def _append(self, ids: Sequence[int], mask: int, logprobs: Sequence[float]) -> None:
        self.response.extend(ids)
        self.mask.extend([mask] * len(ids))
        self.logprobs.extend(logprobs)


def greedy_episodes(
    play: Callable[[list[TokenEpisode]], None],
    protocol: ChatProtocol,
    cases: Iterable[Case],
    rules: ProtocolConfig,
    batch: int,
    menu: Collection[str] | None = None,
) -> Iterator[tuple[Case, TokenEpisode]]:
    """Episodes without skills on `cases`, in their order; `play` ends a batch of them, as they are asked for."""
    remaining = iter(cases)
    while chosen := list(islice(remaining, batch)):
        episodes = [TokenEpisode.evaluation(protocol, case, rules, menu) for case in chosen]
        play(episodes)
        yield from zip(chosen, episodes, strict=True)
