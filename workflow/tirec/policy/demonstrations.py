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
from tirec.agent.prompt import ChatProtocol
from tirec.agent.tokens import TokenEpisode
from tirec.config.agent import ProtocolConfig
from tirec.config.policy import WarmStartConfig
from tirec.evidence.menu import REWARDABLE
from tirec.policy.reading import HIGH_WORDS, LOW_WORDS, answer_turn, call_turn, level

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


class Demonstrator:
    """Draws demonstrations over cases; everything random comes from the generator it is given."""

    def __init__(
        self, protocol: ChatProtocol, rules: ProtocolConfig, config: WarmStartConfig, random: np.random.Generator
    ) -> None:
        self._protocol = protocol
        self._rules = rules
        self._config = config
        self._random = random
        self._functions = [schema["function"]["name"] for schema in protocol.schemas]

    def demonstrate(self, case: Case) -> Demonstration:
        """One episode on `case`: random functions in listing order, a running risk before each, and an answer."""
        guidance = self._guidance()
        episode = TokenEpisode.training(self._protocol, case, guidance.sentences, self._rules)
        log_odds = self._config.offset
        called: list[str] = []
        for name in self._calls(guidance):
            left = self._rules.calls - len(episode.episode.calls)
            if not left:
                break
            if called and left > 1 and self._random.random() < REPEAT_SHARE:
                # The environment writes it, so that nothing of it is learned but what follows.
                episode.write_call(str(self._random.choice(called)))
            self._take(episode, call_turn(self._shown(log_odds), name))
            log_odds += self._alarm(name, case.texts[name], guidance.sign)
            called.append(name)
        self._take(episode, answer_turn(self._shown(log_odds)))
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

    def _calls(self, guidance: Guidance) -> list[str]:
        """Followed guidance and random functions, in listing order: a base taught any order repeats itself."""
        config = self._config
        exhausts = self._random.random() < config.exhaust
        wanted = self._rules.calls if exhausts else self._random.integers(config.fewest_calls, config.most_calls + 1)
        followed = [name for name in guidance.asked if self._random.random() < config.follow]
        others = [name for name in self._functions if name not in followed]
        filled = self._random.permutation(others)[: max(0, int(wanted) - len(followed))]
        chosen = {*followed, *map(str, filled)}
        return [name for name in self._functions if name in chosen]

    def _alarm(self, name: str, text: str, sign: Mapping[str, int]) -> float:
        read = level(text)
        if name in sign:
            return self._config.guided_severity * sign[name] * read.direction
        return self._config.severity * read.severity

    def _shown(self, log_odds: float) -> str:
        noisy = log_odds + self._config.noise * self._random.normal()
        return f"{min(max(1 / (1 + exp(-noisy)), LOWEST), HIGHEST):.2f}"

    def _take(self, episode: TokenEpisode, text: str) -> None:
        ids = self._protocol.encode(text)
        episode.accept(ids, [0.0] * len(ids), Stop.CLOSED)
