"""Trajectories: written and read as a stream, versioned, and scored again from what was saved."""

import json
from dataclasses import replace

import pytest
import zstandard
from agent_cases import PROMPTS, SCHEMAS, answers, asks, played, toy_case

from tirec.agent import trajectories
from tirec.agent.episode import Stop
from tirec.agent.prompt import ChatProtocol
from tirec.agent.reward import score
from tirec.agent.tokens import TokenEpisode
from tirec.agent.trajectories import Trajectory
from tirec.config.agent import ProtocolConfig, RewardConfig
from tirec.errors import DataError


def saved(*turns, case=None):
    case = case or toy_case()
    episode = played(*turns, case=case)
    head = {name: getattr(case, name) for name in ("split", "instance_id", "task", "setting")}
    prompt = ({"role": "user", "content": "Ünïcode \u2028 prompt"},)
    reward = score(episode, case, RewardConfig())
    return Trajectory(model="full.seed0", prompt=prompt, episode=episode, reward=reward, **head)


def test_round_trip(tmp_path):
    written = [
        saved(*asks("labs", "labs", "nothing"), "<answer>0.3</answer> done \r\n\x00\ud800"),
        replace(saved("<tool_call>{</tool_call>", "no answer"), step=21, retention=0.95, kept=("a .", "b .")),
    ]
    trajectories.write(iter(written), tmp_path / "test.jsonl.zst")
    assert list(trajectories.read(tmp_path / "test.jsonl.zst")) == written


def test_the_tokens_of_a_played_episode(qwen3):
    protocol = ChatProtocol(qwen3, PROMPTS, SCHEMAS)
    played_ids = TokenEpisode.evaluation(protocol, toy_case(), ProtocolConfig())
    for text in (*asks("labs"), answers("0.7")):
        ids = protocol.encode(text)
        played_ids.accept(ids, [-0.5] * len(ids), Stop.CLOSED)
    found = trajectories.of("base.seed0", toy_case(), played_ids, protocol.evaluation_messages(toy_case()))
    assert found.tokens.written == sum(played_ids.mask) < found.tokens.response == len(played_ids.response)
    assert found.episode.p == 0.7


def test_an_interrupted_write_leaves_nothing(tmp_path):
    def failing():
        yield saved(answers("0.1"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trajectories.write(failing(), tmp_path / "test.jsonl.zst")
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "test.jsonl.zst"
    path.write_text("no zstd")
    with pytest.raises(DataError, match="not a file of trajectories"):
        list(trajectories.read(path))
    line = trajectories.to_json(saved(answers("0.1")))
    with pytest.raises(DataError, match="version 99"):
        trajectories.from_json({**line, "version": 99})


@pytest.mark.parametrize(
    "damage",
    [
        {"calls": [{"function": "labs", "outcome": "ok", "rows": 5, "turn": 0}]},
        {"calls": [{"function": "labs", "outcome": "ok", "rows": [1], "turn": 0, "further_rows": [5]}]},
        {"tokens": [1]},
        {"reward": {"no_such_part": 1}},
        {"turns": None},
        {"turns": [{"text": "labs"}]},
    ],
)
def test_a_damaged_line_is_named_by_its_file(tmp_path, damage):
    path = tmp_path / "test.jsonl.zst"
    line = {**trajectories.to_json(saved(answers("0.1"))), **damage}
    path.write_bytes(zstandard.compress((json.dumps(line) + "\n").encode()))
    with pytest.raises(DataError, match=r"test\.jsonl\.zst is not a file of trajectories"):
        list(trajectories.read(path))


def test_scoring_again_with_another_reward():
    case = toy_case()
    kept = [saved(*asks("labs"), answers("0.5")), saved(answers("0.8"))]
    same = trajectories.rescore(kept, {case.instance_id: case}, RewardConfig())
    assert same["total"].to_list() == pytest.approx(same["saved_total"].to_list())
    other = trajectories.rescore(kept, {case.instance_id: case}, RewardConfig(target="label"))
    assert other["prediction"].to_list() == pytest.approx([0.5, 0.8])
