"""What the warm start teaches, and what it must not know."""

from dataclasses import replace

import numpy as np
import pytest
import tiny_policy as tiny

from tirec.agent.episode import Finish
from tirec.agent.parse import parse_turn
from tirec.config.policy import WarmStartConfig
from tirec.policy.demonstrations import Demonstrator
from tirec.policy.reading import level


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return list(tiny.write_cases(tmp_path_factory.mktemp("cases") / "c.arrow", "train", 20))


def demonstrations(cases, **changes):
    config = WarmStartConfig(**changes)
    demonstrator = Demonstrator(tiny.protocol(), tiny.RULES, config, np.random.default_rng(0))
    return [demonstrator.demonstrate(case) for case in cases]


def test_labels_risks_and_reference_sets_change_nothing(cases):
    blind = [replace(case, label=1 - case.label, risk=None, reference=()) for case in cases]
    assert demonstrations(cases) == demonstrations(blind)


def test_only_what_the_demonstrated_policy_wrote_is_learned(cases):
    for one in demonstrations(cases):
        wrote = tiny.protocol().decode([token for token, own in zip(one.ids, one.mask, strict=True) if own])
        assert "<tool_response>" not in wrote
        assert wrote.count("<answer>") == 1
        assert parse_turn(wrote[wrote.rindex("enough ") :]).closed


def test_choices_do_not_depend_on_the_task(cases):
    """Every function is called about equally often in every task."""
    called = {task: [] for task in ("disposition", "decompensation", "revisit")}
    for _ in range(6):
        for case, one in zip(cases, demonstrations(cases, exhaust=0.0, guided=0.0), strict=True):
            called[case.task].append(tiny.protocol().decode(one.ids).count('"name": "labs"'))
    assert all(0 < np.mean(counts) < 0.6 for counts in called.values())


def test_a_spent_budget_ends_in_an_answer(cases):
    for one in demonstrations(cases, exhaust=1.0):
        text = tiny.protocol().decode(one.ids)
        assert text.count("<tool_call>") == tiny.RULES.calls
        assert "answer now" in text
        assert text.endswith("</answer>")


def test_reading_knows_the_level_word_and_nothing_else():
    assert level("VERY HIGH, rising: 140 /min").severity > level("HIGH: 3").severity > level("NORMAL: 3").severity
    assert level("LOW: 3").severity == level("HIGH: 3").severity
    assert level("URGENT: acuity 3") == (0.0, 0.0)


def test_finishes_are_named_as_the_history_names_them():
    assert {str(one) for one in Finish} == {"answered", "no_answer", "bad_answer", "length"}
