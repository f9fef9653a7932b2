"""Demonstrations of both agents with random choices: which tests are ordered, and what is believed, says little.

They teach how to speak and a naive reading of a handful of words. They never look at a label, a price or a reference.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from tirec.agent.episode import Stop
from tirec.config.lacdm import CONDITIONS
from tirec.config.lacdm_base import CdmWarmStartConfig
from tirec.config.lacdm_consult import ConsultConfig
from tirec.lacdm.cases import CdmCase, CdmCases
from tirec.lacdm.dialogue import Dialogue
from tirec.lacdm.menu import Menu
from tirec.lacdm.protocol import CdmProtocol
from tirec.lacdm.reading import hits
from tirec.lacdm.spoken import Action, decision_text, hypothesis_text
from tirec.policy.demonstrations import Demonstration

DIALOGUES_PER_BLOCK = 96
"""Dialogues that are drawn together and cut into batches of like length, which saves padding."""


def thought(condition: str, *, enough: bool) -> str:
    """What the demonstrated decision agent thinks."""
    return f"suspect {condition} , {'enough' if enough else 'need more'}"


class CdmDemonstrator:
    """Draws demonstrations over cases; everything random comes from the generator it is given."""

    def __init__(
        self,
        protocol: CdmProtocol,
        menu: Menu,
        rules: ConsultConfig,
        config: CdmWarmStartConfig,
        random: np.random.Generator,
    ) -> None:
        self._protocol = protocol
        self._menu = menu
        self._rules = rules
        self._config = config
        self._random = random

    def demonstrate(self, case: CdmCase) -> list[Demonstration]:
        """One dialogue on `case`, as one sequence of the decision agent and one for each hypothesis."""
        alone = self._random.random() < self._config.alone
        dialogue = Dialogue(self._protocol, case, self._menu, self._rules, "decision" if alone else "two")
        orders = self._orders()
        stated = []
        while not dialogue.finished:
            if asked := dialogue.needs("hypothesis"):
                answer = self._written(hypothesis_text(self._guess(dialogue), self._confidence()))
                asked.accept(answer, [0.0] * len(answer), Stop.END)
                stated.append(_answered(asked.prompt, answer))
            turn = dialogue.needs("decision")
            if turn is None:
                break
            ids = self._turn(dialogue, orders)
            turn.accept(ids, [0.0] * len(ids), Stop.CLOSED)
        whole = Demonstration([*dialogue.prompt, *dialogue.ids], [*[0] * len(dialogue.prompt), *dialogue.mask])
        return [*stated, whole]

    def _turn(self, dialogue: Dialogue, orders: list[str]) -> list[int]:
        """The next order, or the diagnosis once none is left; a thought says the current belief first."""
        current = dialogue.current.condition if dialogue.current else self._guess(dialogue)
        if orders:
            text = decision_text(thought(current, enough=False), Action.TEST, orders.pop(0))
            return self._protocol.encode(text)
        return self._written(decision_text(thought(current, enough=True), Action.DIAGNOSIS, current))

    def _orders(self) -> list[str]:
        """Random tests in the menu's order: a base that is taught any order repeats itself."""
        n = int(self._random.integers(self._config.fewest_tests, self._config.most_tests + 1))
        chosen = set(self._random.choice(len(self._menu.names), n, replace=False).tolist())
        return [name for place, name in enumerate(self._menu.names) if place in chosen]

    def _guess(self, dialogue: Dialogue) -> str:
        """A condition, the likelier the more texts so far hold a word about its organ."""
        known = [dialogue.case.texts[name] for name in dialogue.environment.provided]
        counted = hits([dialogue.case.history, *known])
        scores = [self._config.strength * counted[name] for name in CONDITIONS]
        return CONDITIONS[int(np.argmax(scores + self._random.gumbel(size=len(scores))))]

    def _confidence(self) -> str:
        lowest = 6 if self._random.random() < self._config.boast else 0
        return str(self._random.integers(lowest, 11))

    def _written(self, text: str) -> list[int]:
        return [*self._protocol.encode(text), *self._protocol.encode(self._protocol.end_of_turn)]

    def batches(self, cases: CdmCases, size: int) -> Iterator[Sequence[Demonstration]]:
        """Batches of like length over random cases, for ever."""
        while True:
            chosen = self._random.choice(cases.ids, DIALOGUES_PER_BLOCK)
            drawn = [one for case in chosen for one in self.demonstrate(cases[int(case)])]
            drawn.sort(key=lambda one: len(one.ids))
            starts = range(0, len(drawn) - size + 1, size)
            for start in self._random.permutation(starts):
                yield drawn[start : start + size]


def _answered(prompt: Sequence[int], answer: Sequence[int]) -> Demonstration:
    return Demonstration([*prompt, *answer], [*[0] * len(prompt), *[1] * len(answer)])
