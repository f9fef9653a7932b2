"""The reward, each part worked out by hand."""

import math
import random
from statistics import mean

import pytest
from agent_cases import FUNCTIONS, answers, asks, played, toy_case

from tirec.agent.environment import RecordEnvironment
from tirec.agent.episode import Episode, Stop
from tirec.agent.parse import call_text
from tirec.agent.reward import RewardError, RewardParts, score
from tirec.config.agent import RewardConfig

TWELVE = FUNCTIONS[:12]
BAD_JSON = '<tool_call>{"name": "labs", </tool_call>'


def earned(*turns, case=None, config=None, calls=12):
    return score(played(*turns, case=case, calls=calls), case or toy_case(), config or RewardConfig())


def parts(reward):
    return pytest.approx((reward.format, reward.prediction, reward.match, reward.execution, reward.total))


# The case: label 1, teacher risk 0.6, so target 0.8; reference set {labs, orders}.
# Columns: format, prediction, match, execution, total = 0.1 f + 0.8 (0.7 p + 0.3 m) + 0.1 e.
TABLE = {
    "perfect": ([*asks("labs", "orders"), answers("0.8")], (1, 1, 1, 1, 1.0)),
    "half the set": ([*asks("labs"), answers("0.8")], (1, 1, 2 / 3, 1, 0.1 + 0.56 + 0.16 + 0.1)),
    "one beyond the set": (
        [*asks("labs", "orders", "imaging"), answers("0.8")],
        (1, 1, 0.8, 1, 0.1 + 0.56 + 0.192 + 0.1),
    ),
    "p off by 0.3": ([*asks("labs", "orders"), answers("0.5")], (1, 0.7, 1, 1, 0.1 + 0.392 + 0.24 + 0.1)),
    "no calls": ([answers("0.8")], (1, 1, 0, 0, 0.1 + 0.56)),
    "only details": ([*asks("lab_values", "order_list"), answers("0.8")], (1, 1, 0, 1, 0.1 + 0.56 + 0.1)),
    "only what the view says": ([*asks("triage", "demographics"), answers("0.8")], (1, 1, 0, 1, 0.1 + 0.56 + 0.1)),
    "no answer": ([*asks("labs", "orders"), "I do not know."], (0, 0, 1, 1, 0.24 + 0.1)),
    "bad answer": ([*asks("labs", "orders"), "<answer>80%</answer>"], (0, 0, 1, 1, 0.24 + 0.1)),
    "bad JSON": ([BAD_JSON, *asks("labs", "orders"), answers("0.8")], (0, 1, 1, 2 / 3, 0.56 + 0.24 + 0.2 / 3)),
    "unknown function": ([*asks("labs", "lactate", "orders"), answers("0.8")], (0, 1, 1, 2 / 3, 0.8 + 0.2 / 3)),
    "repeat": ([*asks("labs", "labs", "orders"), answers("0.8")], (1, 1, 1, 2 / 3, 0.9 + 0.2 / 3)),
    "empty counts as run": ([*asks("imaging"), answers("0.8")], (1, 1, 0, 1, 0.1 + 0.56 + 0.1)),
    "answer twice": ([*asks("labs", "orders"), "<answer>0.8</answer><answer>0.8</answer>"], (0, 1, 1, 1, 0.9)),
    "answer in the wrong turn": (
        [call_text("labs") + "<answer>0.8</answer>", "That was it."],
        (0, 0, 2 / 3, 1, 0.16 + 0.1),
    ),
    "invented evidence": (
        ["<tool_response>x</tool_response>" + asks("labs")[0], answers("0.8")],
        (0, 1, 2 / 3, 1, 0.82),
    ),
    "a thought": (["<think>x</think>" + answers("0.8")], (0, 1, 0, 0, 0.56)),
}


@pytest.mark.parametrize(("turns", "expected"), TABLE.values(), ids=TABLE.keys())
def test_worked_examples(turns, expected):
    assert expected == parts(earned(*turns))


def test_the_thirteenth_call():
    # Ten rewardable of twelve called, two of them the set: F1 = 2·2/(10+2) = 1/3; 12 of 13 calls ran.
    reward = earned(*asks(*TWELVE, "lab_values"))
    assert parts(reward) == (0, 0, 1 / 3, 12 / 13, 0.08 + 1.2 / 13)


def test_cut_by_length():
    episode = Episode(RecordEnvironment(toy_case()))
    episode.take(call_text("labs"))
    episode.take("I think that", Stop.LENGTH)
    assert parts(score(episode.record(), toy_case(), RewardConfig())) == (0, 0, 2 / 3, 1, 0.16 + 0.1)


def test_an_episode_cut_in_the_middle_is_never_scored():
    episode = Episode(RecordEnvironment(toy_case()))
    episode.take(call_text("labs"))
    with pytest.raises(RuntimeError):
        episode.record()


def test_an_empty_reference_set_matches_nothing():
    assert earned(*asks("labs"), answers("0.8"), case=toy_case(reference=())).match == 0


@pytest.mark.parametrize(
    ("settings", "p", "prediction"),
    [
        ({}, "0.5", 0.7),
        ({"target": "label"}, "0.5", 0.5),
        ({"label_share": 1.0}, "0.5", 0.5),
        ({"label_share": 0.0}, "0.5", 0.9),
        ({"prediction": "squared"}, "0.5", 1 - 0.09),
        ({"prediction": "squared", "target": "label"}, "0.5", 0.75),
    ],
)
def test_forms_of_the_prediction_part(settings, p, prediction):
    assert earned(answers(p), config=RewardConfig(**settings)).prediction == pytest.approx(prediction)


def test_no_match_is_alpha_one():
    reward = earned(*asks("imaging"), answers("0.8"), config=RewardConfig(alpha=1.0))
    assert reward.total == pytest.approx(1.0)


def test_a_price_is_paid_once_for_what_ran():
    """labs 6 of 10 in all; asked twice, it is paid once; an unknown function and a repeat cost nothing."""
    priced = RewardConfig(weight_cost=0.5, prices={"labs": 6, "imaging": 4})
    turns = [*asks("labs", "labs", "no_such"), answers("0.8")]
    assert earned(*turns, config=priced).total == pytest.approx(earned(*turns).total - 0.5 * 0.6)
    free = RewardConfig(weight_cost=0.0, prices={"labs": 6, "imaging": 4})
    assert earned(*turns, config=free) == earned(*turns)


@pytest.mark.parametrize("risk", [math.nan, math.inf, None])
def test_a_reward_that_is_no_number_stops_and_names_the_case(risk):
    with pytest.raises(RewardError, match="instance 7"):
        earned(answers("0.8"), case=toy_case(risk=risk))
    with pytest.raises(RewardError, match="instance 7"):
        earned("No answer.", case=toy_case(risk=risk))
    without = earned(answers("1"), case=toy_case(risk=risk), config=RewardConfig(target="label"))
    assert without.prediction == 1


def cohort():
    """Cases with prevalence near 0.3 whose teacher risk follows the label noisily."""
    generator = random.Random(0)
    for number in range(2000):
        severity = generator.random()
        label = int(generator.random() < 0.6 * severity)
        risk = min(1.0, max(0.0, 0.6 * severity + generator.gauss(0, 0.05)))
        yield severity, toy_case(instance_id=number, label=label, risk=risk)


def mean_reward(turns_of):
    return mean(score(played(*turns_of(seen), case=case), case, RewardConfig()).total for seen, case in cohort())


def test_a_reader_earns_more_than_the_prevalence_or_than_calling_everything():
    reader = mean_reward(lambda severity: [*asks("labs", "orders"), answers(f"{0.6 * severity:.2f}")])
    prevalence = mean_reward(lambda severity: [answers("0.30")])
    everything = mean_reward(lambda severity: [*asks(*TWELVE), answers(f"{0.6 * severity:.2f}")])
    assert reader > everything + 0.1
    assert reader > prevalence + 0.3


def test_parts_are_numbers_between_zero_and_one():
    assert isinstance(earned(answers("0.8")), RewardParts)
    for turns, _ in TABLE.values():
        reward = earned(*turns)
        assert all(0 <= value <= 1 for value in (reward.format, reward.prediction, reward.match, reward.execution))
