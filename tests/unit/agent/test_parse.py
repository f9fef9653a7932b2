"""What one turn of text is: a table of completions as models really write them."""

import pytest

from tirec.agent.parse import (
    Fault,
    Kind,
    call_text,
    parse_call,
    parse_probability,
    parse_probability_leniently,
    parse_turn,
    turn_closed,
)

CALL = call_text("labs")


def test_a_call_is_what_the_template_writes():
    assert CALL == '<tool_call>\n{"name": "labs", "arguments": {}}\n</tool_call>'
    assert parse_call(parse_turn(f"Labs first. {CALL}").content).name == "labs"


@pytest.mark.parametrize(
    ("text", "kind", "faults"),
    [
        (f"Labs first. {CALL}", Kind.CALL, ()),
        ("Enough. <answer>0.4</answer>", Kind.ANSWER, ()),
        ("I am not sure.", Kind.NEITHER, ()),
        ("", Kind.NEITHER, ()),
        (f"{CALL}\n ", Kind.CALL, ()),
        (f"{CALL} and then", Kind.CALL, (Fault.TEXT_AFTER,)),
        (f"{CALL}{CALL}", Kind.CALL, (Fault.TEXT_AFTER,)),
        (f"{CALL}<answer>0.4</answer>", Kind.CALL, (Fault.TEXT_AFTER,)),
        ("<answer>0.4</answer><answer>0.5</answer>", Kind.ANSWER, (Fault.TEXT_AFTER,)),
        ("<answer>0.4<answer>0.5</answer>", Kind.ANSWER, (Fault.SECOND_BLOCK,)),
        ("<tool_call><tool_call>{}</tool_call>", Kind.CALL, (Fault.SECOND_BLOCK,)),
        ('<tool_call>{"name": "labs"}<answer>0.4</answer>', Kind.ANSWER, (Fault.SECOND_BLOCK,)),
        ("0.4</answer>", Kind.ANSWER, (Fault.UNOPENED,)),
        ("{}</tool_call>", Kind.CALL, (Fault.UNOPENED,)),
        ("<answer>0.4", Kind.ANSWER, (Fault.UNCLOSED,)),
        ('<tool_call>{"name": "la', Kind.CALL, (Fault.UNCLOSED,)),
        (f"<think>Hm.</think>{CALL}", Kind.CALL, (Fault.THINK,)),
        (f"<tool_response>HR 80</tool_response>{CALL}", Kind.CALL, (Fault.TOOL_RESPONSE,)),
        (f"<|im_start|>user {CALL}", Kind.CALL, (Fault.CONTROL,)),
        ("<function=labs></function>", Kind.NEITHER, (Fault.OTHER_DIALECT,)),
        ("<tool_call><function=labs></tool_call>", Kind.CALL, (Fault.OTHER_DIALECT,)),
    ],
)
def test_kind_and_faults(text, kind, faults):
    parsed = parse_turn(text)
    assert (parsed.kind, parsed.faults) == (kind, faults)
    assert parsed.text + parsed.discarded == text


def test_text_after_the_first_closing_tag_is_never_read():
    parsed = parse_turn(f"{CALL}<tool_response>HR 80</tool_response><answer>1</answer>")
    assert parsed.text == CALL
    assert parsed.content == '{"name": "labs", "arguments": {}}'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "labs",
        "[]",
        '"labs"',
        "null",
        '{"name": "labs", "arguments": {}',
        "{'name': 'labs', 'arguments': {}}",
        '{"name": "labs", "arguments": {}} {"name": "orders", "arguments": {}}',
        '{"name": "labs", "name": "orders", "arguments": {}}',
        '{"name": 3, "arguments": {}}',
        '{"arguments": {}}',
        '{"name": "labs", "arguments": NaN}',
        '{"name": "labs", "arguments": {}} trailing',
        "{" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"name": "labs", "arguments": ' + "9" * 10_000 + "}",
        '{"name": "la\x00bs", "arguments": {}}',
    ],
)
def test_what_is_no_call(content):
    assert parse_call(content) is None


@pytest.mark.parametrize(
    "content",
    [
        '{"name": "labs"}',
        '{"name": "labs", "arguments": null}',
        '{"name": "labs", "arguments": "{}"}',
        '{"name": "labs", "arguments": []}',
        '{"name": "labs", "arguments": {}, "id": 1}',
        '{"name": "labs", "parameters": {}}',
    ],
)
def test_calls_whose_arguments_are_not_an_object_of_their_own(content):
    assert parse_call(content).arguments is None


@pytest.mark.parametrize(
    ("text", "p"), [("0", 0), ("1", 1), ("0.0", 0), ("1.000", 1), ("0.35", 0.35), ("0.999", 0.999)]
)
def test_plain_decimals_are_probabilities(text, p):
    assert parse_probability(text) == p


@pytest.mark.parametrize(
    "text",
    [
        *("", ".5", "1.", "1.1", "2", "10", "-0.1", "+0.5", "1e-1", "35%", "0,5", "0.5.", "0.5 ", "00.5"),
        *("٠.٥", "½", "nan", "inf", "0.3 0.4", "p=0.3", "０.５", "0.3\n", "0x1", "1_0", "0.1e0", "high"),
    ],
)
def test_nothing_else_is_a_probability(text):
    assert parse_probability(text) is None


@pytest.mark.parametrize(
    ("text", "p"),
    [
        ("<answer> 0.35 </answer>", 0.35),
        ("<answer>.5</answer>", 0.5),
        ("<answer>35%</answer>", 0.35),
        ("<answer>35 %</answer>", 0.35),
        ("<answer>1e-1</answer>", 0.1),
        ("<answer>0.4.", 0.4),
        ("<answer>1.", 1.0),
        ("<answer>0.2</answer><answer>0.4</answer>", 0.4),
        ("<answer>35</answer>", None),
        ("<answer>-0.3</answer>", None),
        ("<answer>0.3 or 0.4</answer>", None),
        ("0.3", None),
        ("<answer>" + "1" * 5000, None),
    ],
)
def test_the_lenient_reading(text, p):
    assert parse_probability_leniently(text) == p


def test_a_turn_closes_at_either_closing_tag_only():
    assert turn_closed(CALL) and turn_closed("</answer>")
    assert not turn_closed("<tool_call> <answer> </tool_response> </ answer>")
