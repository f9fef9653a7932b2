"""One scripted token stream through verl's agent loop and through the local engine: the same episodes, to the token."""

import asyncio

import numpy as np
import pytest
import tiny_policy as tiny
import torch
import verl_study
from tensordict import TensorDict
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.workers.rollout.replica import TokenOutput

from tirec.agent.reward import score
from tirec.agent.tokens import TokenEpisode
from tirec.config.agent import ProtocolConfig
from tirec.policy.reading import answer_turn, call_turn
from tirec.policy.rollout import _Row
from tirec.training.grpo import advantages
from tirec.training.material import derived_seed
from tirec.training.verl_engine.advantage import spread
from tirec.training.verl_engine.brief import Brief, Scene
from tirec.training.verl_engine.composition import composed
from tirec.training.verl_engine.data import write_agent_loop
from tirec.training.verl_engine.outcome import Outcome
from tirec.training.verl_engine.settings import Places, verl_keys

STEP, SLOT = 2, 1
ANSWER = answer_turn("disposition", "0.35")


def asks(risk: str, name: str) -> str:
    return call_turn("disposition", risk, name)


SCRIPTS = [
    ["", asks("0.40", "labs"), asks("0.40", "no_such_function"), ANSWER],  # an empty first turn: none
    [asks("0.40", "labs"), asks("0.45", "labs"), asks("0.50", "orders"), ANSWER + " and more"],
    [*(asks("0.40", name) for name in ("labs", "orders", "imaging", "history")), ANSWER],  # the whole budget
    ["no call, no answer<|im_end|>"],
    ["<tool_call>{broken</tool_call>", ANSWER],
    ["word " * 100],  # cut by length
    [ANSWER.replace("0.35", "35 %")],
    ["<think>x</think> héllo ", asks("0.40", "labs"), ANSWER],  # goes on after a server's own stop
]


class ScriptedServer:
    """Stands for the rollout server: writes each session's script, whatever tokens the loop hands it."""

    def __init__(self, scripts):
        self.scripts = scripts

    async def generate(self, request_id, *, prompt_ids, sampling_params, **_):
        script = self.scripts[sampling_params["seed"]]
        ids = script.pop(0)[: sampling_params["max_tokens"]]
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids), stop_reason="completed", extra_fields={})


def streams():
    """Every session's turns in tokens; empty ones stand for nothing."""
    return [[tiny.protocol().encode(text) for text in script if text] for script in SCRIPTS]


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    folder = verl_study.make(tmp_path_factory.mktemp("study"))
    settings = verl_study.SETTINGS.model_copy(update={"group_size": len(SCRIPTS)})
    files = {name: folder / f"{name}.arrow" for name in ("train", "validation")}
    places = {"schedule": folder / "schedule.parquet", "skills": folder / "skills", "scratch": folder / "scratch"}
    whole = {"settings": settings, "rules": tiny.RULES, "seed": 0, "run_folder": folder}
    return Brief(**files, **places, **whole, base=folder / "base" / "disposition" / "model")


@pytest.fixture(scope="module")
def theirs(brief):
    """What verl's agent loop worker makes of the scripts: a batch of padded tensors."""
    loop = brief.scratch / "loop.yaml"
    write_agent_loop(brief.write(), loop)
    places = Places(brief.base, *(brief.scratch / name for name in ("t", "v")), loop, brief.scratch / "checkpoints")
    config = composed(verl_keys(brief.settings, brief.rules, brief.seed, places))
    scripts = {}
    for session, stream in enumerate(streams()):
        first = derived_seed("verl", brief.seed, STEP, SLOT, session)
        scripts |= {(first + turn) % 2**31: stream for turn in range(len(stream) + 1)}
    server = ScriptedServer(scripts)
    return asyncio.run(AgentLoopWorker(config, server).generate_sequences(rows(len(SCRIPTS))))


def rows(sessions):
    where = {"split": "train", "step": STEP, "slot": SLOT, "instance_id": 0, "index": SLOT}
    columns = {
        "agent_name": ["tirec"] * sessions,
        "raw_prompt": [[]] * sessions,
        "extra_info": [where] * sessions,
        "index": [SLOT] * sessions,
        "session_id": range(sessions),
        "global_steps": [STEP] * sessions,
    }
    named = {}
    for name, values in columns.items():
        named[name] = np.empty(sessions, dtype=object)
        named[name][:] = list(values)
    return DataProto(TensorDict({"rows": torch.zeros(sessions, 1)}, sessions), named, {"global_steps": STEP})


@pytest.fixture(scope="module")
def ours(brief):
    """The same tokens, one by one, as the local engine writes them."""
    scene = Scene(brief)
    slot = scene.slot(STEP, SLOT)
    episodes = []
    for stream in streams():
        episode = TokenEpisode.training(scene.protocol, slot.case, slot.sentences, brief.rules)
        row = _Row(episode, [])
        for token in [token for turn in stream for token in turn]:
            if not episode.finished:
                row.write(token, -0.5, scene.turn_end)
        episodes.append(episode)
    return slot, episodes


def unpadded(batch, session):
    """Prompt, response, mask and log-probabilities of one row, padding taken off."""
    attention = batch["attention_mask"][session].bool()
    width = batch["prompts"].shape[1]
    before, after = attention[:width], attention[width:]
    response = batch["responses"][session][after].tolist()
    kept = {name: batch[name][session][: len(response)].tolist() for name in ("response_mask", "rollout_log_probs")}
    return batch["prompts"][session][before].tolist(), response, kept["response_mask"], kept["rollout_log_probs"]


def test_prompts_observations_masks_and_log_probabilities(theirs, ours):
    _, episodes = ours
    for session, episode in enumerate(episodes):
        prompt, response, mask, logprobs = unpadded(theirs.batch, session)
        assert prompt == episode.prompt
        assert response == episode.response, tiny.protocol().decode(response)
        assert mask == episode.mask
        assert logprobs == episode.logprobs


def test_the_scripts_reach_every_finish(ours):
    _, episodes = ours
    finishes = {str(episode.episode.finish) for episode in episodes}
    assert finishes == {"answered", "no_answer", "bad_answer", "length"}
    assert {len(episode.episode.calls) for episode in episodes} >= {0, 1, 2, 3, 4}


def test_rewards_and_what_the_trainer_is_told(theirs, ours, brief):
    slot, episodes = ours
    told = [Outcome.from_json(text) for text in theirs.non_tensor_batch["outcome"]]
    for session, (episode, outcome) in enumerate(zip(episodes, told, strict=True)):
        reward = score(episode.episode.record(), slot.case, brief.settings.reward)
        assert outcome.reward == reward
        assert theirs.batch["rm_scores"][session].sum().item() == pytest.approx(reward.total)
        record = outcome.record()
        assert (record.p, record.finish) == (episode.episode.p, episode.episode.finish)
        assert [call.function for call in record.calls] == [call.function for call in episode.episode.calls]
        assert outcome.tokens == len(episode.response)


def test_advantages(theirs, ours, brief):
    slot, episodes = ours
    totals = [score(one.episode.record(), slot.case, brief.settings.reward).total for one in episodes]
    groups = torch.zeros(len(totals), dtype=torch.long)
    mine = advantages(torch.tensor(totals, dtype=torch.float64), groups, brief.settings.objective)
    mask = theirs.batch["response_mask"]
    spread_out = spread(theirs.batch["rm_scores"], mask, np.array(["x"] * len(totals)), brief.settings.objective)
    for session, advantage in enumerate(mine.tolist()):
        written = spread_out[session][mask[session].bool()]
        torch.testing.assert_close(written, torch.full_like(written, advantage), atol=1e-5, rtol=1e-5)


def test_a_row_of_another_step_stops_the_run(brief, theirs):
    scene = Scene(brief)
    assert not scene.brief.fault.exists()
    loop = brief.scratch / "loop.yaml"
    places = Places(brief.base, *(brief.scratch / name for name in ("t", "v")), loop, brief.scratch / "checkpoints")
    worker = AgentLoopWorker(composed(verl_keys(brief.settings, ProtocolConfig(), 0, places)), None)
    late = rows(1)
    late.non_tensor_batch["global_steps"][0] = STEP + 1
    with pytest.raises(Exception, match="step 2 of the schedule in its step 3"):
        asyncio.run(worker.generate_sequences(late))
    assert "step 2 of the schedule" in scene.brief.fault.read_text()
