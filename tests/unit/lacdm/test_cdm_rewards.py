"""Rewards against the published numbers."""

import pytest

from tirec.config.lacdm_consult import ConsultConfig
from tirec.config.lacdm_training import ConfidenceRewardConfig, DecisionRewardConfig, compose_cdm
from tirec.lacdm.menu import read_menu
from tirec.lacdm.rewards import confidence_reward, decision_reward

RIGHT = (-1, 0.333, 0.534, 0.651, 0.735, 0.799, 0.852, 0.897, 0.935, 0.969, 1)
PUBLISHED = compose_cdm("full", {}).decision


@pytest.mark.parametrize("level", range(11))
def test_the_published_table_of_confidences(level):
    rules = ConfidenceRewardConfig()
    assert confidence_reward(level, right=True, config=rules) == pytest.approx(RIGHT[level], abs=6e-4)
    assert confidence_reward(level, right=False, config=rules) == pytest.approx(RIGHT[10 - level], abs=6e-4)


def test_an_unreadable_confidence_is_worth_the_worst():
    assert confidence_reward(None, right=True, config=ConfidenceRewardConfig()) == -1


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_stating_the_hit_rate_pays_best(rate):
    rules = ConfidenceRewardConfig()

    def expected(level):
        return rate * confidence_reward(level, True, rules) + (1 - rate) * confidence_reward(level, False, rules)

    assert max(range(11), key=expected) == round(10 * rate)


@pytest.mark.parametrize(
    ("predicted", "penalty", "total"),
    [
        ("appendicitis", 0.1282, 2 - 0.1282),  # right, one CT
        ("pancreatitis", 0.0, 1.0),  # wrong but well-formed: half of the scale
        (None, 0.0, 0.0),
        (None, 0.5, -0.5),
        ("appendicitis", 1.0, 1.0),  # ordering everything costs exactly one right diagnosis
    ],
)
def test_totals_of_the_public_code(predicted, penalty, total):
    assert decision_reward(predicted, "appendicitis", penalty, (), (), PUBLISHED).total == pytest.approx(total)


@pytest.mark.parametrize(
    ("test", "penalty"),
    [("Physical Examination", 0.0294), ("CT", 0.1282), ("MRI", 0.4775), ("Urinalysis", 0.0049)],
)
def test_penalties_are_shares_of_the_whole_menu(test, penalty):
    menu = read_menu(ConsultConfig().menu_file())
    assert menu.penalty(menu.find(test).price) == pytest.approx(penalty, abs=5e-5)


def test_the_other_systems_match_is_an_f1_of_tests():
    rules = DecisionRewardConfig(match=1.0)
    reward = decision_reward("pancreatitis", "pancreatitis", 0.0, ("CT", "Urinalysis"), ("CT",), rules)
    assert reward.match == pytest.approx(2 / 3)
    assert reward.total == pytest.approx(2 + 2 / 3)
