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
    demonstrator = Demonstrator(tiny.tokenizer(), tiny.RULES, config, np.random.default_rng(0))
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


def test_restricted_demonstrations_know_the_ten_groups_and_calls_that_the_environment_writes(cases):
    """With a longer answer room: every budget up to ten is met, and half of the calls are nobody's own."""
    rules = tiny.RULES.model_copy(update={"response_tokens": 600})
    config = WarmStartConfig(restricted=1.0, guided=0.0)
    demonstrator = Demonstrator(tiny.tokenizer(), rules, config, np.random.default_rng(0))
    texts = []
    for case in cases:
        one = demonstrator.demonstrate(case)
        texts.append(tiny.protocol().decode(one.ids))
        wrote = tiny.protocol().decode([token for token, own in zip(one.ids, one.mask, strict=True) if own])
        assert wrote.count("<answer>") == 1
        own, every = wrote.count("<tool_call>"), texts[-1].count("<tool_call>")
        assert own == 0 or own >= every - 2, "all written by the environment, or none but a rare repeat"
    assert not any(f'"name": "{name}"' in text for text in texts for name in ("triage", "lab_values"))
    assert "# Tools heart_rate" in texts[0] and "demographics" not in texts[0]
    assert len({text.count("<tool_call>") for text in texts}) > 4


def test_a_demonstration_that_runs_out_of_room_ends_without_an_answer(cases):
    rules = tiny.RULES.model_copy(update={"response_tokens": 60})
    demonstrator = Demonstrator(tiny.tokenizer(), rules, WarmStartConfig(restricted=1.0), np.random.default_rng(0))
    assert all(len(demonstrator.demonstrate(case).ids) <= 60 + 200 for case in cases)


def test_reading_knows_the_level_word_and_nothing_else():
    assert level("VERY HIGH, rising: 140 /min").severity > level("HIGH: 3").severity > level("NORMAL: 3").severity
    assert level("LOW: 3").severity == level("HIGH: 3").severity
    assert level("URGENT: acuity 3") == (0.0, 0.0)


def test_finishes_are_named_as_the_history_names_them():
    assert {str(one) for one in Finish} == {"answered", "no_answer", "bad_answer", "length"}
