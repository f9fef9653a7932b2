"""What an order answers and costs, event by event, under the published and the repaired rules."""

import pytest
from cdm_cases import PAPER, clinic
from hypothesis import given
from hypothesis import strategies as st

from tirec.agent.environment import Outcome
from tirec.lacdm.environment import NOT_AVAILABLE

CHARGED = PAPER.model_copy(update={"unavailable": "charge"})
MARGINAL = PAPER.model_copy(update={"nested_prices": "marginal"})


def test_a_result_is_given_and_charged():
    environment = clinic()
    answer = environment.call("ultrasound", {})
    assert (answer.outcome, answer.rows) == (Outcome.OK, (5,))
    assert answer.text == "Stones, thick wall, compatible with ____."
    assert (environment.cost, environment.provided) == (1288, ("Ultrasound",))
    assert environment.penalty == pytest.approx(1288 / 10190)


def test_a_repeat_gives_the_same_text_and_costs_nothing():
    environment = clinic()
    first, second = (environment.call("Ultrasound", {}) for _ in range(2))
    assert (second.outcome, second.text) == (Outcome.REPEATED, first.text)
    assert (environment.cost, environment.requested) == (1288, ["Ultrasound"])


@pytest.mark.parametrize(("switches", "cost"), [(PAPER, 0), (CHARGED, 1306)])
def test_a_test_that_was_not_performed(switches, cost):
    environment = clinic(switches)
    for _ in range(2):
        answer = environment.call("CT", {})
        assert (answer.text, answer.outcome) == (NOT_AVAILABLE, Outcome.EMPTY)
    assert environment.cost == cost
    assert (environment.provided, environment.requested) == ((), ["CT"])


def test_unknown_names_are_refused_with_the_menu_and_may_be_followed_by_an_order():
    environment = clinic()
    answer = environment.call("PET", {})
    assert answer.outcome is Outcome.UNKNOWN_FUNCTION
    assert "Urinalysis" in answer.text
    assert environment.call("Ultrasound", {"region": "Abdomen"}).outcome is Outcome.BAD_ARGUMENTS
    assert environment.cost == 0
    assert environment.call("Ultrasound", {}).outcome is Outcome.OK


def test_the_fifteenth_order_is_over_budget():
    environment = clinic()
    outcomes = [environment.call("PET", {}).outcome for _ in range(15)]
    assert outcomes == [Outcome.UNKNOWN_FUNCTION] * 14 + [Outcome.OVER_BUDGET]


def test_marginal_prices_look_at_results_only():
    texts = {"Basic Metabolic Panel": "Sodium: 140 mEq/L", "Electrolyte Panel": "Sodium: 140 mEq/L"}
    environment = clinic(MARGINAL, texts=texts)
    environment.call("Electrolyte Panel", {})
    environment.call("Basic Metabolic Panel", {})
    assert environment.charges == {"Electrolyte Panel": 134, "Basic Metabolic Panel": pytest.approx(149)}


@given(
    st.lists(st.sampled_from(["CT", "Ultrasound", "Physical Examination", "Complete Blood Count", "PET"]), max_size=14)
)
def test_the_bill_is_the_sum_over_distinct_provided_tests(orders):
    environment = clinic()
    for name in orders:
        environment.call(name, {})
    prices = {"Ultrasound": 1288, "Physical Examination": 300, "Complete Blood Count": 71}
    assert environment.cost == sum(prices[name] for name in set(orders) & set(prices))
    assert set(environment.provided) == set(orders) & set(prices)
