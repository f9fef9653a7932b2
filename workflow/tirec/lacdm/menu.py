"""The priced tests that a decision agent may order, read from a menu file."""

from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tirec.config.base import Model, read_keys, validated
from tirec.config.lacdm import SwitchesConfig
from tirec.errors import ConfigError

Kind = Literal["exam", "panel", "imaging", "culture"]


class ClinicalTest(Model):
    """One entry of the menu."""

    name: Annotated[str, Field(min_length=1)]
    """What the agent writes to order it."""
    kind: Kind
    """Where its result is found: examination, laboratory, reports, microbiology."""
    price: float = Field(ge=0)
    """Charge in USD."""
    items: tuple[int, ...] = ()
    """Laboratory item ids of a panel, or microbiology test ids of a culture."""
    modalities: tuple[str, ...] = ()
    """Report modalities that answer an imaging test."""
    wider: tuple[str, ...] = ()
    """Special modalities that answer it too under `switches.modalities: broad`."""
    regions: tuple[str, ...] = ()
    """Body regions that count under `switches.regions: listed`; all where empty."""
    added: bool = False
    """Whether the paper's menu lacks it."""

    @model_validator(mode="after")
    def _says_what_answers(self) -> "ClinicalTest":
        needed = {"panel": self.items, "culture": self.items, "imaging": self.modalities}
        if not needed.get(self.kind, True):
            raise ValueError(
                f"test {self.name}: a {self.kind} needs {'modalities' if self.kind == 'imaging' else 'items'}"
            )
        return self


class MenuFile(Model):
    """The whole menu file."""

    tests: Annotated[tuple[ClinicalTest, ...], Field(min_length=1)]
    """Every test, offered or not, in the order in which the agent reads them."""


class Menu:
    """The tests that are offered under some switches, with what each costs given what is known."""

    def __init__(self, tests: Collection[ClinicalTest], switches: SwitchesConfig) -> None:
        self.tests = tuple(test for test in tests if switches.added_tests or not test.added)
        self._marginal = switches.nested_prices == "marginal"
        self._by_key = {_key(test.name): test for test in self.tests}

    def __iter__(self) -> Iterator[ClinicalTest]:
        return iter(self.tests)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the offered tests, in the menu's order."""
        return tuple(test.name for test in self.tests)

    @cached_property
    def total(self) -> float:
        """Price of everything at once (USD 10,190 in the paper): the unit of penalties."""
        return sum(test.price for test in self.tests)

    def find(self, name: str) -> ClinicalTest | None:
        """The offered test of this name, whatever its case and outer blanks."""
        return self._by_key.get(_key(name))

    def charge(self, test: ClinicalTest, known: Collection[str] = ()) -> float:
        """USD for `test` when the tests named in `known` have been answered; less than its price only if marginal.

        A panel of which half the items have been reported costs half (marginal prices).
        """
        if not self._marginal or test.kind != "panel":
            return test.price
        reported = {
            item for other in self.tests if other.name in known and other.kind == "panel" for item in other.items
        }
        return test.price * len(set(test.items) - reported) / len(set(test.items))

    def penalty(self, cost: float) -> float:
        """A cost as a share of the whole menu's price, so that ordering everything costs one correct diagnosis."""
        return cost / self.total


def read_menu(path: Path | str, switches: SwitchesConfig | None = None) -> Menu:
    """The menu of a YAML file; raises ConfigError where an entry is wrong or a name stands twice."""
    tests = validated(MenuFile, read_keys(Path(path))).tests
    keys = [_key(test.name) for test in tests]
    if twice := [test.name for test in tests if keys.count(_key(test.name)) > 1]:
        raise ConfigError(f"{path}: test {twice[0]} stands there twice; keep one")
    return Menu(tests, switches or SwitchesConfig())


def _key(name: str) -> str:
    return " ".join(name.split()).lower()
