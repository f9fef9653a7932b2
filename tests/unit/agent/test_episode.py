"""The state machine: every call outcome, every finish, and what comes back."""

from dataclasses import replace

import pytest
from agent_cases import answers, asks, played, toy_case

from tirec.agent.environment import Observation, Outcome, RecordEnvironment
from tirec.agent.episode import DEFAULT_NOTICES, Call, Episode, Finish, Reply, Stop
from tirec.agent.parse import Fault, call_text


def start(calls=12, **rules):
    return Episode(RecordEnvironment(toy_case()), calls, **rules)


def outcomes(record):
    return [str(call.outcome) for call in record.calls]


def test_ask_read_answer():
    episode = start()
    assert episode.take(asks("labs")[0]) == Reply("labs: NORMAL, steady: 1", answer_turn=False)
    assert episode.take(answers("0.7")) is None
    record = episode.record()
    assert (record.finish, record.p, record.p_lenient) == (Finish.ANSWERED, 0.7, 0.7)
    assert [(call.function, call.outcome, call.rows, call.turn) for call in record.calls] == [("labs", "ok", (1, 2), 0)]
    assert record.turns[1].reply is None


def test_a_function_with_no_source_row_is_empty_and_still_says_so():
    episode = start()
    assert episode.take(call_text("imaging")).text == "imaging: NORMAL, steady: 1"
    assert episode.calls[0].outcome is Outcome.EMPTY


def test_rows_of_another_table_are_evidence_too():
    case = replace(toy_case(), further_rows={"imaging": {"orders": (4, 7)}})
    episode = Episode(RecordEnvironment(case))
    episode.take(call_text("imaging"))
    assert episode.calls == [Call("imaging", Outcome.OK, (), 0, {"orders": (4, 7)})]
    assert episode.calls[0].cited == 2


@pytest.mark.parametrize(
    ("turn", "outcome"),
    [
        (call_text("lab"), Outcome.UNKNOWN_FUNCTION),
        ('<tool_call>{"name": "labs", "arguments": {"hours": 2}}</tool_call>', Outcome.BAD_ARGUMENTS),
        ('<tool_call>{"name": "labs"}</tool_call>', Outcome.BAD_ARGUMENTS),
        ('<tool_call>{"name": "labs", </tool_call>', Outcome.BAD_JSON),
        ("</tool_call>", Outcome.BAD_JSON),
    ],
)
def test_calls_that_do_not_run_get_a_notice_and_spend_budget(turn, outcome):
    episode = start(calls=2)
    assert episode.take(turn) == Reply(DEFAULT_NOTICES[outcome], answer_turn=False)
    assert episode.take(asks("labs")[0]).answer_turn
    assert [call.outcome for call in episode.calls] == [outcome, Outcome.OK]


def test_a_repeat_gets_one_line_and_spends_budget():
    episode = start(calls=3)
    episode.take(call_text("labs"))
    assert episode.take(call_text("labs")) == Reply(DEFAULT_NOTICES[Outcome.REPEATED], answer_turn=False)
    assert "\n" not in DEFAULT_NOTICES[Outcome.REPEATED]
    assert episode.take(call_text("orders")).answer_turn
    assert [str(call.outcome) for call in episode.calls] == ["ok", "repeated", "ok"]


def test_a_failed_call_may_be_made_again():
    record = played('<tool_call>{"name": "labs"}</tool_call>', *asks("labs"), answers("0.5"))
    assert outcomes(record) == ["bad_arguments", "ok"]


def test_the_thirteenth_call_is_over_budget_and_ends_unanswered():
    names = ("labs", "orders", "imaging", "history", "heart_rate", "blood_pressure", "temperature", "waveforms")
    names += ("triage", "demographics", "lab_values", "order_list", "prior_diagnoses")
    record = played(*asks(*names))
    assert outcomes(record)[-1] == "over_budget"
    assert (len(record.calls), record.finish, record.p) == (13, Finish.NO_ANSWER, None)


def test_the_answer_turn_comes_with_the_last_observation():
    episode = start(calls=1)
    assert episode.take(asks("labs")[0]) == Reply("labs: NORMAL, steady: 1", answer_turn=True)
    assert episode.take(answers("0.2")) is None
    assert episode.p == 0.2


def test_after_budget_end_is_the_appendix_to_the_letter():
    episode = start(calls=1, after_budget="end")
    assert episode.take(asks("labs")[0]) is None
    assert episode.finish is Finish.NO_ANSWER


def test_without_any_budget_only_an_answer_counts():
    assert outcomes(played(*asks("labs"), calls=0)) == ["over_budget"]
    assert played(answers("0.3"), calls=0).p == 0.3


@pytest.mark.parametrize(
    ("turn", "stop", "finish", "p", "lenient"),
    [
        ("<answer>35%</answer>", Stop.CLOSED, Finish.BAD_ANSWER, None, 0.35),
        ("<answer></answer>", Stop.CLOSED, Finish.BAD_ANSWER, None, None),
        ("<answer>0.3", Stop.END, Finish.BAD_ANSWER, None, 0.3),
        ("0.3</answer>", Stop.CLOSED, Finish.BAD_ANSWER, None, None),
        ("I would say 0.3.", Stop.END, Finish.NO_ANSWER, None, None),
        ("", Stop.END, Finish.NO_ANSWER, None, None),
        ("<answer>0.3", Stop.LENGTH, Finish.LENGTH, None, None),
        ("Let me see", Stop.LENGTH, Finish.LENGTH, None, None),
        ("<answer>0.3</answer>", Stop.LENGTH, Finish.ANSWERED, 0.3, 0.3),
    ],
)
def test_finishes(turn, stop, finish, p, lenient):
    episode = start()
    assert episode.take(turn, stop) is None
    assert (episode.finish, episode.p, episode.p_lenient) == (finish, p, lenient)


def test_an_unclosed_call_is_bad_json_and_cut_by_length_it_is_length():
    episode = start()
    assert episode.take('<tool_call>{"name": "labs", "argu', Stop.END).text == DEFAULT_NOTICES[Outcome.BAD_JSON]
    assert episode.take("<tool_call>", Stop.LENGTH) is None
    assert episode.finish is Finish.LENGTH
    assert len(episode.calls) == 1


def test_two_answers_the_first_counts_and_the_form_is_at_fault():
    record = played("<answer>0.3</answer><answer>0.9</answer>")
    assert (record.p, record.turns[0].faults) == (0.3, (Fault.TEXT_AFTER,))


def test_invented_evidence_is_discarded():
    record = played(f"{call_text('labs')}\n<tool_response>HR 30</tool_response><answer>1</answer>", answers("0.4"))
    assert record.p == 0.4
    assert "HR 30" in record.turns[0].discarded
    assert outcomes(record) == ["ok"]


def test_a_menu_hides_functions():
    environment = RecordEnvironment(toy_case(), menu=("labs",))
    assert environment.call("orders", {}).outcome is Outcome.UNKNOWN_FUNCTION
    assert environment.call("labs", {}) == Observation("labs: NORMAL, steady: 1", (1, 2), Outcome.OK)


def test_a_running_episode_has_no_record_and_a_finished_one_takes_no_turn():
    episode = start()
    with pytest.raises(RuntimeError, match="not finished"):
        episode.record()
    episode.out_of_room()
    assert episode.record().finish is Finish.LENGTH
    with pytest.raises(RuntimeError, match="finished"):
        episode.take("more")
