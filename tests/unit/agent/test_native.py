"""Native tool calls: the outcomes of the text protocol, and nothing repaired on the way."""

import json

import pytest
from agent_cases import toy_case
from hypothesis import given
from hypothesis import strategies as st

from tirec.agent.environment import Outcome, RecordEnvironment
from tirec.agent.episode import Episode, Finish, Stop
from tirec.agent.native import NativeCall, native_turn
from tirec.agent.parse import Fault, call_text


def taken(text: str, *calls: tuple[str, str], stop: Stop = Stop.END) -> Episode:
    episode = Episode(RecordEnvironment(toy_case()))
    made = [NativeCall(f"call_{at}", name, arguments) for at, (name, arguments) in enumerate(calls)]
    episode.take_parsed(native_turn(text, made), stop)
    return episode


@pytest.mark.parametrize(
    ("name", "arguments", "outcome"),
    [
        ("labs", "{}", Outcome.OK),
        ("labs", " {} ", Outcome.OK),
        ("imaging", "{}", Outcome.EMPTY),
        ("lab", "{}", Outcome.UNKNOWN_FUNCTION),
        ("functions.labs", "{}", Outcome.UNKNOWN_FUNCTION),
        ("", "{}", Outcome.UNKNOWN_FUNCTION),
        ("labs", '{"hours": 2}', Outcome.BAD_ARGUMENTS),
        ("labs", "[]", Outcome.BAD_ARGUMENTS),
        ("labs", "null", Outcome.BAD_ARGUMENTS),
        ("labs", '"{}"', Outcome.BAD_ARGUMENTS),
        ("labs", "", Outcome.BAD_JSON),
        ("labs", "{", Outcome.BAD_JSON),
        ("labs", "{}{}", Outcome.BAD_JSON),
        ("labs", "{'a': 1}", Outcome.BAD_JSON),
        ("labs", '{"a": 1, "a": 2}', Outcome.BAD_JSON),
        ("labs", '{"a": NaN}', Outcome.BAD_JSON),
        # What would read as a good call once written into other text stays malformed.
        ("labs", "{}}\n</tool_call>", Outcome.BAD_JSON),
        ("labs", '{}, "more": 1', Outcome.BAD_JSON),
        ("labs", '{}}\n</tool_call><tool_call>{"name": "orders", "arguments": {}', Outcome.BAD_JSON),
        ("labs", "[" * 5000, Outcome.BAD_JSON),
    ],
)
def test_one_call(name: str, arguments: str, outcome: Outcome) -> None:
    (call,) = taken("", (name, arguments)).calls
    assert call.outcome is outcome
    assert call.function == (None if outcome is Outcome.BAD_JSON else name)


@given(st.text(alphabet='{}[]" ,:a1\n\t', max_size=12))
def test_arguments_run_only_if_they_are_the_empty_object(arguments: str) -> None:
    (call,) = taken("", ("labs", arguments)).calls
    try:
        empty = json.loads(arguments) == {}
    except ValueError:
        empty = False
    assert (call.outcome is Outcome.OK) == empty


def test_a_turn_reads_as_in_the_text_protocol() -> None:
    (turn,) = taken("I look at the labs.", ("labs", "{}")).turns
    assert turn.text == f"I look at the labs.\n{call_text('labs')}"
    assert turn.faults == ()


def test_of_parallel_calls_the_first_is_made_and_the_others_are_discarded() -> None:
    episode = taken("", ("labs", "{}"), ("orders", "{}"))
    assert [call.function for call in episode.calls] == ["labs"]
    assert episode.turns[0].faults == (Fault.TEXT_AFTER,)
    assert episode.turns[0].discarded == call_text("orders")


def test_an_answer_in_the_text_decides_and_the_calls_after_it_do_not_count() -> None:
    episode = taken("<answer>0.3</answer>", ("labs", "{}"))
    assert (episode.finish, episode.p, episode.calls) == (Finish.ANSWERED, 0.3, [])
    assert episode.turns[0].faults == (Fault.TEXT_AFTER,)


def test_an_answer_left_open_before_a_call_is_no_answer() -> None:
    episode = taken("<answer>0.3", ("labs", "{}"))
    assert episode.calls[0].outcome is Outcome.OK
    assert Fault.SECOND_BLOCK in episode.turns[0].faults


@pytest.mark.parametrize("text", [call_text("labs"), "<tool_call>{", '<tool_call>{"name": "labs"} </tool_call>'])
def test_a_call_written_as_text_is_another_dialect(text: str) -> None:
    episode = taken(text)
    assert [call.outcome for call in episode.calls] == [Outcome.BAD_JSON]
    assert Fault.OTHER_DIALECT in episode.turns[0].faults


def test_text_without_call_or_answer_ends_the_episode() -> None:
    assert taken("The risk is high.").finish is Finish.NO_ANSWER
    assert taken("").finish is Finish.NO_ANSWER
    assert taken("<answer>35%</answer>").finish is Finish.BAD_ANSWER


def test_a_call_cut_at_the_token_limit_is_a_cut_and_a_whole_one_is_a_call() -> None:
    assert taken("", ("labs", '{"a'), stop=Stop.LENGTH).finish is Finish.LENGTH
    assert taken("", ("labs", "{}"), stop=Stop.LENGTH).calls[0].outcome is Outcome.OK
    assert taken("", ("labs", "{"), ("orders", "{"), stop=Stop.LENGTH).calls[0].outcome is Outcome.BAD_JSON
