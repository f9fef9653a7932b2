"""A case as the environment of the decision agent: what a test answers, and what it costs."""

from collections.abc import Mapping
from typing import Any

from tirec.agent.environment import Observation, Outcome
from tirec.config.lacdm import SwitchesConfig
from tirec.lacdm.cases import CdmCase
from tirec.lacdm.menu import ClinicalTest, Menu

NOT_AVAILABLE = "not available."
"""The published answer where a test was not performed."""


class ClinicEnvironment:
    """Answers orders from one case's results and keeps the bill: each distinct test is charged once.

    Repeats give the same text again at no charge; a test that was not performed is charged only if the switches say so;
    unknown names are refused with a line that may be answered by another order. `turns` orders are taken at most.
    """

    def __init__(self, case: CdmCase, menu: Menu, switches: SwitchesConfig, turns: int = 14) -> None:
        self._case = case
        self._menu = menu
        self._charges_absent = switches.unavailable != "free"
        self._turns = turns
        self._asked = 0
        self.charges: dict[str, float] = {}
        self.requested: list[str] = []

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """The result of a test: ok, empty (not performed), repeated, unknown_function, bad_arguments, over_budget."""
        self._asked += 1
        if self._asked > self._turns:
            return Observation("", (), Outcome.OVER_BUDGET)
        test = self._menu.find(name)
        if test is None:
            return Observation(f"unknown test. Tests: {', '.join(self._menu.names)}.", (), Outcome.UNKNOWN_FUNCTION)
        if arguments:
            return Observation("a test takes no arguments.", (), Outcome.BAD_ARGUMENTS)
        return self._answer(test)

    @property
    def provided(self) -> tuple[str, ...]:
        """Names of the tests whose result was given, in order."""
        return tuple(name for name in self.requested if name in self._case.texts)

    @property
    def cost(self) -> float:
        """The bill in USD."""
        return sum(self.charges.values())

    @property
    def penalty(self) -> float:
        """The bill as a share of the whole menu's price."""
        return self._menu.penalty(self.cost)

    def _answer(self, test: ClinicalTest) -> Observation:
        text = self._case.texts.get(test.name)
        again = test.name in self.requested
        if not again and (text is not None or self._charges_absent):
            self.charges[test.name] = self._menu.charge(test, self.provided)
        if not again:
            self.requested.append(test.name)
        if text is None:
            return Observation(NOT_AVAILABLE, (), Outcome.EMPTY)
        return Observation(text, self._case.rows.get(test.name, ()), Outcome.REPEATED if again else Outcome.OK)
