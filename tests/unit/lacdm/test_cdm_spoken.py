"""What the agents write, read strictly: hostile and near-miss texts beside the answer."""

import pytest

from tirec.lacdm.spoken import (
    MALFORMED,
    Action,
    Decision,
    Hypothesis,
    decision_text,
    hypothesis_text,
    read_confidence,
    read_decision,
    read_hypothesis,
)


@pytest.mark.parametrize(
    ("text", "condition", "confidence"),
    [
        ("Hypothesis: appendicitis\nConfidence: 7", "appendicitis", 7),
        ("Hypothesis: Appendicitis \nConfidence: 10\n", "appendicitis", 10),
        ("Hypothesis: gastritis\nConfidence: 3", "unknown", 3),
        ("Hypothesis: appendicitis\nConfidence: 7/10", "appendicitis", None),
        ("Hypothesis: appendicitis\nConfidence: high", "appendicitis", None),
        ("Hypothesis: appendicitis\nConfidence: 11", "appendicitis", None),
        ("Hypothesis: appendicitis\nConfidence: -1", "appendicitis", None),
        ("Hypothesis: appendicitis\nConfidence: 07", "appendicitis", None),
        ("Hypothesis: appendicitis\nConfidence: ٧", "appendicitis", None),  # another script's digit
        ("Hypothesis: appendicitis or cholecystitis\nConfidence: 5", "unknown", 5),
        ("appendicitis 7", "unknown", None),
        ("", "unknown", None),
    ],
)
def test_hypotheses(text, condition, confidence):
    assert read_hypothesis(text) == Hypothesis(condition, confidence)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        (decision_text("suspect x", Action.TEST, "CT"), Decision(Action.TEST, "ct")),
        (decision_text("done", Action.DIAGNOSIS, "pancreatitis"), Decision(Action.DIAGNOSIS, "pancreatitis")),
        ("Thought: a\nb\nAction: test\nAction Input: CT", Decision(Action.TEST, "ct")),
        ("Action: Test\nAction Input: CT\n", Decision(Action.TEST, "ct")),  # a thought is not required
        ("Thought: a\nAction: Treat\nAction Input: CT\n", Decision(Action.OTHER, "ct")),
        ("Thought: a\nAction: Test\nAction Input: CT\nand then MRI\n", MALFORMED),
        ("Thought: a\nAction: Test\nAction Input: CT\nObservation: normal", MALFORMED),  # it wrote its own result
        ("Thought: a\nAction: Test\nAction Input: CT\nAction: Test\nAction Input: MRI", MALFORMED),
        ("Thought: a\nAction: Test\nAction Input:\n", MALFORMED),
        ("Thought: a\nAction: Test", MALFORMED),
        ("Thought: the answer is appendicitis", MALFORMED),
        ("", MALFORMED),
    ],
)
def test_decisions(text, decision):
    assert read_decision(text) == decision


def test_what_is_written_is_read_back():
    assert read_hypothesis(hypothesis_text("pancreatitis", "4")) == Hypothesis("pancreatitis", 4)


@pytest.mark.parametrize(("text", "level"), [("7", 7), (" 10 ", 10), ("7.", None), ("", None), ("1 0", None)])
def test_a_confidence_asked_for_alone(text, level):
    assert read_confidence(text) == level
