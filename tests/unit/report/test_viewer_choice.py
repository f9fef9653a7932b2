"""Which cases stand on the page of trajectories, and how each answer is judged."""

import polars as pl
import pytest
from agent_cases import answers, asks, played

from tirec.evaluation.model_metrics import read_thresholds
from tirec.report.viewer.judging import Verdict, faults, threshold_at, threshold_of, verdict, verdicts
from tirec.report.viewer.selection import sample


def cases(**sizes: int) -> pl.DataFrame:
    tasks = [task for task, size in sizes.items() for _ in range(size)]
    return pl.DataFrame({"instance_id": range(len(tasks)), "task": tasks}, schema_overrides={"task": pl.String})


def test_tasks_share_the_page_evenly_and_a_small_one_leaves_its_room_to_the_others():
    frame = cases(disposition=50, decompensation=3, revisit=50)
    chosen = frame.filter(pl.col("instance_id").is_in(sample(frame, 23, seed=0)))
    assert dict(chosen.group_by("task").len().rows()) == {"disposition": 10, "decompensation": 3, "revisit": 10}


def test_the_sample_is_seeded_ascending_and_grows_without_losing_a_case():
    frame = cases(disposition=40, revisit=40)
    few, many = sample(frame, 10, seed=1), sample(frame, 30, seed=1)
    assert few == sorted(few) == sample(frame.reverse(), 10, seed=1)
    assert set(few) < set(many)
    assert few != sample(frame, 10, seed=2)
    assert sample(frame, 1000, seed=1) == list(range(80))
    assert sample(cases(), 5, seed=0) == []


@pytest.mark.parametrize(
    ("p", "label", "kind"),
    [
        (0.7, 1, Verdict.TRUE_POSITIVE),
        (0.3, 1, Verdict.TRUE_POSITIVE),
        (0.29, 1, Verdict.FALSE_NEGATIVE),
        (0.3, 0, Verdict.FALSE_POSITIVE),
        (0.0, 0, Verdict.TRUE_NEGATIVE),
        (None, 1, Verdict.UNANSWERED),
        (None, 0, Verdict.UNANSWERED),
    ],
)
def test_an_answer_at_the_threshold_is_flagged(p, label, kind):
    assert verdict(p, label, 0.3) is kind


def test_both_offered_thresholds_are_judged():
    assert verdicts(0.4, 1, own=0.3) == {"own": "tp", "half": "fn"}


def test_thresholds_come_from_the_metrics_table_and_their_absence_is_said():
    rows = [("revisit", "3d", "f1", 0.12, "validation B"), ("revisit", "mean", "f1", None, "per setting")]
    names = ["task", "setting", "metric", "threshold", "threshold_source"]
    known = threshold_of(read_thresholds(pl.DataFrame(rows, schema=names, orient="row")))
    assert threshold_at(known, ("revisit", "3d")) == (0.12, "validation B")
    assert threshold_at(known, ("revisit", "7d")) == (0.5, "0.5: the model has no threshold")
    assert threshold_of(None) == {}


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        ([*asks("labs", "imaging", "labs"), answers("0.3")], ()),
        ([answers("0.3") + " and more"], ("text_after",)),
        ([*asks("nothing", "nothing"), answers("0.3")], ("unknown_function",)),
        (["<think>x</think><tool_call>{</tool_call>", answers("35%")], ("think", "bad_json", "bad_answer")),
        (["I do not know."], ()),
    ],
)
def test_faults_name_what_broke_the_protocol_once_each(turns, found):
    assert faults(played(*turns)) == found
