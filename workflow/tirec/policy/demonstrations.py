"""Demonstrations of the protocol with random choices: which functions are called says nothing about what matters.

They teach how to ask, that guidance in a prompt may be followed, and a naive reading of what comes back. They never
look at a label, a teacher risk or a reference set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp

import numpy as np

from tirec.agent.cases import Case
from tirec.agent.episode import Stop
from tirec.agent.inert import ChatTokenizer
from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.agent.tokens import TokenEpisode
from tirec.config.agent import ProtocolConfig
from tirec.config.policy import WarmStartConfig
from tirec.evidence.menu import MENU, REWARDABLE
from tirec.policy.reading import HIGH_WORDS, LOW_WORDS, answer_turn, call_turn, level

MOST_CALLS = len(REWARDABLE)
"""Largest budget of demonstrations with the rewardable functions alone."""
MOST_GUIDED = 4
"""Most functions that the guidance of one demonstration speaks of."""
SENTENCE_SHARE = 0.7
"""Probability of each kind of sentence (check it; what it means) about a guided function."""
REPEAT_SHARE = 0.03
"""Probability that the environment repeats an earlier call, so that the notice is known; not learned from."""
LOWEST, HIGHEST = 0.01, 0.99


@dataclass
class Guidance:
    """Random guidance: its sentences, the functions to check, and +1 or -1 where it says which direction is risky."""

    sentences: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    sign: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Demonstration:
    """Token ids of prompt and response; mask is 1 where the demonstrated policy wrote."""

    ids: Sequence[int]
    mask: Sequence[int]


@dataclass(frozen=True)
class Frame:
    """What may be called and how often, and the words that say so."""

    protocol: ChatProtocol
    rules: ProtocolConfig
    menu: tuple[str, ...]

    @classmethod
    def of(cls, tokenizer: ChatTokenizer, rules: ProtocolConfig, menu: tuple[str, ...]) -> "Frame":
        """The protocol with these functions alone."""
        return cls(protocol_of(tokenizer, rules, menu), rules, menu)

    def start(self, case: Case, sentences: Sequence[str]) -> TokenEpisode:
        """A fresh episode on `case`."""
        return TokenEpisode.training(self.protocol, case, sentences, self.rules, self.menu)


def _budget(rules: ProtocolConfig, calls: int) -> ProtocolConfig:
    return rules.model_copy(update={"calls": calls})


class Demonstrator:
    """Draws demonstrations over cases; everything random comes from the generator it is given."""

    def __init__(
        self, tokenizer: ChatTokenizer, rules: ProtocolConfig, config: WarmStartConfig, random: np.random.Generator
    ) -> None:
        self._whole = Frame.of(tokenizer, rules, tuple(MENU))
        self._restricted = [
            Frame.of(tokenizer, _budget(rules, calls), REWARDABLE) for calls in range(1, MOST_CALLS + 1)
        ]
        self._config = config
        self._random = random

    def demonstrate(self, case: Case) -> Demonstration:
        """One episode on `case`: random functions, a running risk before each that the policy asks for, an answer."""
        guidance = self._guidance()
        if not self._config.restricted or self._random.random() >= self._config.restricted:
            return self._asked(case, self._whole, guidance)
        frame = self._restricted[self._random.integers(MOST_CALLS)]
        if self._random.random() < self._config.written:
            return self._told(case, frame, guidance)
        return self._asked(case, frame, guidance)

    def _asked(self, case: Case, frame: Frame, guidance: Guidance) -> Demonstration:
        """The policy asks itself, in listing order."""
        episode = frame.start(case, guidance.sentences)
        log_odds = self._config.offset
        called: list[str] = []
        for name in self._calls(guidance, frame):
            left = frame.rules.calls - len(episode.episode.calls)
            if not left or episode.finished:
                break
            if called and left > 1 and self._random.random() < REPEAT_SHARE:
                # The environment writes it, so that nothing of it is learned but what follows.
                episode.write_call(str(self._random.choice(called)))
            self._take(episode, frame, call_turn(case.task, self._shown(log_odds), name))
            log_odds += self._alarm(name, case.texts[name], guidance.sign)
            called.append(name)
        return self._answered(episode, frame, case.task, log_odds)

    def _told(self, case: Case, frame: Frame, guidance: Guidance) -> Demonstration:
        """The environment asks, in any order, until the budget is spent; the policy answers."""
        episode = frame.start(case, guidance.sentences)
        log_odds = self._config.offset
        for name in map(str, self._random.permutation(frame.menu)[: frame.rules.calls]):
            if episode.write_call(name) is None:
                break
            log_odds += self._alarm(name, case.texts[name], guidance.sign)
        return self._answered(episode, frame, case.task, log_odds)

    def _answered(self, episode: TokenEpisode, frame: Frame, task: str, log_odds: float) -> Demonstration:
        if not episode.finished:  # else the room for tokens was spent
            self._take(episode, frame, answer_turn(task, self._shown(log_odds)))
        prompt = episode.prompt
        return Demonstration(prompt + episode.response, [0] * len(prompt) + episode.mask)

    def _guidance(self) -> Guidance:
        guidance = Guidance()
        if self._random.random() >= self._config.guided:
            return guidance
        chosen = self._random.choice(REWARDABLE, self._random.integers(1, MOST_GUIDED + 1), replace=False)
        for name in map(str, chosen):
            if self._random.random() < SENTENCE_SHARE:
                guidance.asked.append(name)
                guidance.sentences.append(f"check {name} .")
            if self._random.random() < SENTENCE_SHARE:
                guidance.sign[name] = 1 if self._random.random() < 0.5 else -1
                word = self._random.choice(HIGH_WORDS if guidance.sign[name] > 0 else LOW_WORDS)
                guidance.sentences.append(f"{name} {word} raises risk .")
        return guidance

    def _calls(self, guidance: Guidance, frame: Frame) -> list[str]:
        """Followed guidance and random functions, in listing order: a base taught any order repeats itself."""
        config = self._config
        exhausts = self._random.random() < config.exhaust
        wanted = frame.rules.calls if exhausts else self._random.integers(config.fewest_calls, config.most_calls + 1)
        followed = [name for name in guidance.asked if self._random.random() < config.follow]
        others = [name for name in frame.menu if name not in followed]
        filled = self._random.permutation(others)[: max(0, int(wanted) - len(followed))]
        chosen = {*followed, *map(str, filled)}
        return [name for name in frame.menu if name in chosen]

    def _alarm(self, name: str, text: str, sign: Mapping[str, int]) -> float:
        read = level(text)
        if name in sign:
            return self._config.guided_severity * sign[name] * read.direction
        return self._config.severity * read.severity

    def _shown(self, log_odds: float) -> str:
        noisy = log_odds + self._config.noise * self._random.normal()
        return f"{min(max(1 / (1 + exp(-noisy)), LOWEST), HIGHEST):.2f}"

    @staticmethod
    def _take(episode: TokenEpisode, frame: Frame, text: str) -> None:
        ids = frame.protocol.encode(text)
        if len(ids) > episode.remaining:
            episode.episode.out_of_room()
            return
        episode.accept(ids, [0.0] * len(ids), Stop.CLOSED)
