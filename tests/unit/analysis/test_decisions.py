"""The table of decisions is complete, in words, and each alternative changes the study in one place."""

from collections.abc import Iterator
from typing import Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from tirec.analysis.decisions import DECISIONS, NOT_COMPARED, Alternative, alternatives
from tirec.config.sensitivity import AlternativeConfig
from tirec.report.sensitivity_page.words import CHOICES

STUDY = AlternativeConfig()


def choices(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Every key that offers alternatives by name."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from choices(kind, f"{prefix}{name}.")
        elif get_origin(kind) is Literal and len(get_args(kind)) > 1:
            yield prefix + name, get_args(kind)


def test_no_key_with_alternatives_is_forgotten() -> None:
    offered = {
        key: set(values)
        for section in ("cohort", "evidence")
        for key, values in choices(AlternativeConfig.model_fields[section].annotation, f"{section}.")
    }
    compared = {decision.key: set(decision.values) for decision in DECISIONS}
    assert offered.keys() - compared.keys() == NOT_COMPARED.keys()
    assert {key: offered[key] for key in offered if key in compared} == {
        key: values for key, values in compared.items() if key in offered
    }
    assert compared.keys() - offered.keys() == {"evidence.history_margin_days"}  # a number: one alternative


def test_the_study_makes_the_first_choice_of_each() -> None:
    assert [decision.value_in(STUDY) for decision in DECISIONS] == [decision.values[0] for decision in DECISIONS]


def test_names_of_decisions_and_files_are_unique() -> None:
    names = [alternative.name for alternative in alternatives(STUDY)]
    assert len(names) == len(set(names))
    assert len({decision.name for decision in DECISIONS}) == len(DECISIONS)


@pytest.mark.parametrize("alternative", alternatives(STUDY), ids=lambda found: found.name)
def test_an_alternative_changes_one_key(alternative: Alternative) -> None:
    changed = alternative.applied(STUDY)
    assert alternative.decision.value_in(changed) == alternative.value
    others = [decision for decision in DECISIONS if decision is not alternative.decision]
    assert all(decision.value_in(changed) == decision.value_in(STUDY) for decision in others)
    back = Alternative(alternative.decision, alternative.decision.value_in(STUDY))
    assert back.applied(changed) == STUDY


def test_the_alternatives_of_another_study_are_to_its_own_choices() -> None:
    literal = next(found for found in alternatives(STUDY) if found.value == "paper-literal").applied(STUDY)
    names = {found.name for found in alternatives(literal)}
    assert "at_risk=undecided" in names
    assert "at_risk=paper-literal" not in names


def test_every_value_is_in_words() -> None:
    said = {name: set(words) for name, words in CHOICES.items()}
    assert said == {decision.name: set(map(str, decision.values)) for decision in DECISIONS}
