"""Which checkpoint a task keeps, by a table."""

import math
from dataclasses import replace

import pytest
import tiny_policy as tiny

from tirec.agent.episode import Stop
from tirec.policy.reading import answer_turn, call_turn
from tirec.training.selection import Validation, from_plain, plain, select, selected_steps, validate

PLAIN = Validation(f1=0.5, f1_at_half=0.2, auprc=0.4, auroc=0.7, match_f1=0.3, calls=4.0, unanswered=0.0)


@pytest.mark.parametrize(
    ("table", "kept"),
    [
        ({10: (0.5, 0.4), 20: (0.6, 0.1)}, 20),  # F1 first
        ({10: (0.6, 0.4), 20: (0.6, 0.5)}, 20),  # then AUPRC
        ({10: (0.6, 0.4), 20: (0.6, 0.4), 30: (0.6, 0.4)}, 10),  # then the earlier step
        ({10: (math.nan, math.nan), 20: (0.0, 0.0)}, 20),  # undefined loses
        ({10: (math.nan, math.nan), 20: (math.nan, math.nan)}, 10),
    ],
)
def test_table(table, kept):
    validations = {step: replace(PLAIN, f1=f1, auprc=auprc) for step, (f1, auprc) in table.items()}
    assert select(validations, "best_threshold") == kept


def test_the_alternative_looks_at_one_half():
    validations = {10: replace(PLAIN, f1=0.9, f1_at_half=0.1), 20: replace(PLAIN, f1=0.1, f1_at_half=0.9)}
    assert select(validations, "f1_at_half") == 20
    assert select(validations, "best_threshold") == 10


def test_tasks_keep_steps_of_their_own_and_survive_a_round_trip():
    better = replace(PLAIN, f1=0.9)
    validations = {10: {"disposition": better, "revisit": PLAIN}, 20: {"disposition": PLAIN, "revisit": better}}
    assert selected_steps(validations, "best_threshold") == {"disposition": 10, "revisit": 20}
    assert from_plain(plain(validations)) == validations


def answered(case, probability, *calls):
    episode = tiny.episodes([case])[0]
    turns = [*(call_turn("disposition", "0.40", name) for name in calls), answer_turn("disposition", probability)]
    for turn in turns:
        ids = tiny.protocol().encode(turn)
        episode.accept(ids, [0.0] * len(ids), Stop.CLOSED)
    return case, episode.episode.record()


def test_metrics_are_means_over_settings_and_an_unanswered_case_counts(tmp_path):
    cases = list(tiny.write_cases(tmp_path / "c.arrow", "validation", 4))[:4]  # settings 1h 2h 4h 1h
    labelled = [replace(case, label=label) for case, label in zip(cases, [1, 1, 0, 0], strict=True)]
    played = [
        answered(labelled[0], "0.90", "labs", "orders"),
        answered(labelled[1], "0.80", "labs"),
        answered(labelled[2], "0.10"),
        answered(labelled[3], "x"),
    ]
    found = validate(played, {("disposition", name): 0.95 for name in ("1h", "2h", "4h")})["disposition"]
    # 1h: labels 1, 0 with p 0.90 and (unanswered) 0.95: best F1 2/3; 2h: one positive: 1; 4h: no positive: undefined
    assert found.f1 == pytest.approx((2 / 3 + 1) / 2)
    assert found.auroc == 0  # only 1h has both classes
    assert found.match_f1 == pytest.approx((1 + 2 / 3 + 0 + 0) / 4)
    assert found.calls == 0.75
    assert found.unanswered == 0.25
