"""The content of the page: every turn in order, shared texts, reference-set hits, and nobody's number."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from agent_cases import answers, asks, played, toy_case
from viewer_study import HOSTILE_CASE, PLAYERS, careful, case, trajectory, write_study

from tirec.agent import trajectories
from tirec.agent.cases import open_cases
from tirec.agent.parse import call_text
from tirec.config.report import ReportConfig
from tirec.errors import DataError
from tirec.report.viewer.payload import Models, Picked, named, payload
from tirec.report.viewer.turns import Texts, episode_json, row_ranges, split


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict:
    files = write_study(tmp_path_factory.mktemp("study"), [case(number) for number in range(18)])
    models = Models(
        named(files.trajectories), thresholds={"full.seed0": {("disposition", "1h"): (0.3, "validation B")}}
    )
    return payload(open_cases(files.episodes), models, ReportConfig(viewer_cases=9), "synthetic")


def test_every_model_stands_beside_every_sampled_case(content):
    assert content["sample"] == {"shown": 9, "of": 18, "seed": 0}
    assert content["models"] == list(PLAYERS)
    assert [len(item["episodes"]) for item in content["cases"]] == [4] * 9
    assert sorted({item["task"] for item in content["cases"]}) == ["decompensation", "disposition", "revisit"]
    ids = [item["id"] for item in content["cases"]]
    assert ids == sorted(ids)


def test_a_case_says_what_it_is_and_when(content):
    item = next(item for item in content["cases"] if item["task"] == "decompensation")
    original = case(item["id"] - HOSTILE_CASE)
    assert (item["label"], item["setting"], item["reference"]) == (
        original.label,
        original.setting,
        [*original.reference],
    )
    assert content["texts"][item["view"]] == original.view
    assert item["horizon"].endswith("minutes") and item["cutoff"].endswith("after arrival")
    assert content["texts"][item["reference_texts"]["heart_rate"]] == original.texts["heart_rate"]


def test_an_episode_keeps_its_turns_and_says_what_it_read_of_the_reference_set(content):
    item = next(item for item in content["cases"] if item["task"] == "disposition")
    episode = item["episodes"]["full.seed0"]
    texts = content["texts"]
    assert [turn["call"] and turn["call"]["function"] for turn in episode["turns"]] == [
        *item["reference"],
        "vital_sign_values",
        None,
    ]
    assert episode["hits"] == item["reference"]
    assert texts[episode["turns"][0]["said"]].startswith("Whether labs")
    assert texts[episode["turns"][0]["reply"]] == case(item["id"] - HOSTILE_CASE).texts["labs"]
    assert [role for role, _ in episode["prompt"]] == ["system", "user"]
    assert item["episodes"]["no_skills.seed0"]["hits"] == []


def test_numbers_that_a_model_states_are_checked_against_what_it_read(content):
    for item in content["cases"]:
        [number] = item["episodes"]["base.seed0"]["numbers"]
        assert (number["number"], number["turn"]) == ("121", 12)
        assert number["verdict"] == ("correct" if item["label"] else "wrong_direction")
        assert "heart rate of 121 /min" in content["texts"][number["sentence"]]


def test_a_repeated_text_is_stored_once(content):
    assert len(content["texts"]) == len(set(content["texts"]))


def test_models_without_episodes_are_scored_beside_the_others(tmp_path):
    files = write_study(tmp_path, [case(3)], {"full.seed0": careful})
    known = pl.DataFrame({"instance_id": [case(3).instance_id], "p": [0.4]})
    scores = {"teacher": known, "stump": known.head(0)}
    found = payload(open_cases(files.episodes), Models(named(files.trajectories), scores), ReportConfig(), "open")
    [item] = found["cases"]
    assert item["scores"]["teacher"]["p"] == 0.4
    assert item["scores"]["stump"] | {"source": ""} == {
        "p": None,
        "verdicts": {"own": "unanswered", "half": "unanswered"},
        "threshold": 0.5,
        "source": "",
    }
    assert found["scorers"] == ["teacher", "stump"]


def test_a_model_that_lacks_a_case_leaves_a_gap_and_none_at_all_is_an_error(tmp_path):
    shown = [case(1), case(2)]
    files = write_study(tmp_path, shown, {"full.seed0": careful})
    trajectories.write([trajectory("full.seed0", careful, shown[0])], files.trajectories[0])
    cases = open_cases(files.episodes)
    found = payload(cases, Models(named(files.trajectories)), ReportConfig(), "open")
    assert [list(item["episodes"]) for item in found["cases"]] == [["full.seed0"], []]
    trajectories.write([replace(trajectory("full.seed0", careful, shown[0]), instance_id=9)], files.trajectories[0])
    with pytest.raises(DataError, match="no model has an episode"):
        payload(cases, Models(named(files.trajectories)), ReportConfig(), "open")


def test_rules_that_pick_no_case_leave_an_empty_page(tmp_path):
    files = write_study(tmp_path, [case(1)], {"full.seed0": careful})
    picked = Picked({}, {"numeric slip": "A states a number that it did not read"})
    found = payload(open_cases(files.episodes), Models(named(files.trajectories)), ReportConfig(), "open", picked)
    assert (found["cases"], found["rules"]) == ([], dict(picked.rules))


def test_models_are_named_by_their_folder():
    paths = [Path("a/full.seed0/test.jsonl.zst"), Path("a/base.seed0/test.jsonl.zst")]
    assert named(paths) == {"full.seed0": paths[0], "base.seed0": paths[1]}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"Why. {call_text('labs')}", ("Why.", call_text("labs"))),
        ("Enough.\n<answer>0.3</answer>", ("Enough.", "<answer>0.3</answer>")),
        ("no tag at all ", ("no tag at all", "")),
        ("<answer>1</answer>", ("", "<answer>1</answer>")),
        ("", ("", "")),
    ],
)
def test_a_turn_splits_into_words_and_block(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((), ""),
        ((7,), "7"),
        ((3, 4, 5, 9), "3-5, 9"),
        ((9, 3, 4, 3), "3-4, 9"),
        (tuple(range(0, 40, 2)), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 8 more"),
    ],
)
def test_source_rows_are_said_in_ranges(rows, said):
    assert row_ranges(rows) == said


def test_source_rows_of_other_tables_carry_the_tables_name():
    case = replace(toy_case(), further_rows={"labs": {"orders": (4, 5)}, "imaging": {"orders": (9,)}})
    record = played(*asks("labs", "imaging"), answers("0.4"), case=case)
    found = episode_json(replace(trajectory("m", careful, case), episode=record, tokens=None, reward=None), Texts())
    assert [turn["call"]["rows"] for turn in found["turns"][:2]] == ["1-2; orders 4-5", "orders 9"]


def test_what_was_discarded_and_what_was_asked_badly_is_kept():
    record = played(*asks("labs", "labs"), "<tool_call>{</tool_call>", answers("0.4") + " trailing")
    texts = Texts()
    found = episode_json(replace(trajectory("m", careful, toy_case()), episode=record, tokens=None, reward=None), texts)
    assert [turn["call"] and turn["call"]["outcome"] for turn in found["turns"]] == ["ok", "repeated", "bad_json", None]
    assert texts.listed[found["turns"][-1]["discarded"]] == " trailing"
    assert (found["p"], found["finish"], found["faults"]) == (0.4, "answered", ["text_after", "bad_json"])
    assert found["tokens"] is None and found["reward"] is None
