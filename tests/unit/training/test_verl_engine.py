"""The parts of the verl engine that need no verl: settings, identity, what travels, how a turn ends, the optimizer."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest
import tiny_policy as tiny
import torch
import verl_study
import yaml
from agent_cases import PROMPTS, SCHEMAS
from peft import LoraConfig as Adapters
from peft import get_peft_model
from safetensors.torch import save_file
from verl_study import PLACES

from tirec.agent.environment import Outcome as CallOutcome
from tirec.agent.episode import Call, EpisodeRecord, Finish, Stop
from tirec.agent.prompt import ChatProtocol
from tirec.agent.reward import RewardParts
from tirec.agent.tokens import TurnEnd
from tirec.config.agent import ProtocolConfig
from tirec.config.policy import LoraConfig
from tirec.config.training import TrainingConfig, compose, foreign_modules
from tirec.config.verl import PLACEMENT, VerlConfig
from tirec.errors import ConfigError, DataError
from tirec.policy.optimization import Rates, descend, optimizers, share_of_rate
from tirec.policy.reading import answer_turn, call_turn
from tirec.provenance import code_id
from tirec.training.verl_engine.brief import Brief, Scene
from tirec.training.verl_engine.conversion import load_saved
from tirec.training.verl_engine.data import write_agent_loop, write_tables
from tirec.training.verl_engine.optimizer import RampedAdamW
from tirec.training.verl_engine.outcome import Outcome
from tirec.training.verl_engine.play import ServerError, play
from tirec.training.verl_engine.settings import verl_keys

TRAIN = Path(__file__).resolve().parents[3] / "scripts" / "train_policy.py"
ENGINE = TRAIN.parents[1] / "workflow" / "tirec" / "training" / "verl_engine"
RULES = ProtocolConfig()


def test_the_published_run_in_verls_words():
    keys = verl_keys(compose("full", {}), RULES, 7, PLACES)
    assert keys["actor_rollout_ref.actor.optim.lr"] == 1e-6
    assert keys["actor_rollout_ref.rollout.n"] == 8
    assert keys["trainer.n_gpus_per_node"] == 4
    assert keys["data.seed"] == keys["actor_rollout_ref.rollout.seed"] == 7
    assert not keys["data.shuffle"]  # the schedule is the order
    assert "actor_rollout_ref.actor.optim.optimizer" not in keys  # verl's own AdamW


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"optimizer": {"name": "muon"}}, "optimizer.name"),
        ({"optimizer": {"minibatches": 3}}, "optimizer.minibatches"),
        ({"prompts_per_step": 3, "group_size": 2}, "prompts_per_step"),
        ({"lora": LoraConfig(dropout=0.1)}, "model.lora.dropout"),
    ],
)
def test_what_verl_cannot_honour_is_refused_by_key(changes, said):
    with pytest.raises(ConfigError, match=said):
        verl_keys(TrainingConfig(**changes), RULES, 0, PLACES)


def test_adapters_merge_as_peft_merges_them(tmp_path):
    """The names and the sum of peft's own model, trained a little, against peft's merge."""
    adapted = get_peft_model(tiny.model(), Adapters(r=2, lora_alpha=6, target_modules=["q_proj", "down_proj"]))
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if ".lora_B." in name:
                weight.normal_()
    ids = torch.tensor([[5, 6, 7, 8]])
    expected = adapted(ids).logits
    adapted.base_model.model.config.save_pretrained(tmp_path)
    save_file({name: weight.clone() for name, weight in adapted.state_dict().items()}, tmp_path / "model.safetensors")
    plain = load_saved(tmp_path, "float32", LoraConfig(rank=2, alpha=6, targets=("q_proj", "down_proj")))
    torch.testing.assert_close(plain(ids).logits, expected, atol=1e-4, rtol=1e-4)


def test_a_checkpoint_without_a_weight_is_refused(tmp_path):
    tiny.model().config.save_pretrained(tmp_path)
    save_file({"base_model.model.model.norm.weight": torch.ones(32)}, tmp_path / "model.safetensors")
    with pytest.raises(DataError, match="no weights of"):
        load_saved(tmp_path, "float32", LoraConfig())


def test_a_cpu_rollout_needs_float32():
    with pytest.raises(ValueError, match="precision float32"):
        VerlConfig(rollout="hf_cpu")


def test_a_run_is_told_of_its_own_engine_only():
    local, verl = TrainingConfig(), TrainingConfig(engine="verl")
    assert "verl" not in local.told()
    assert "local" not in verl.told()
    changed = TrainingConfig(verl={"gpus_per_node": 2})
    assert changed.identity() == local.identity()  # another engine's keys
    assert TrainingConfig.model_validate(verl.told()) == verl


def test_memory_and_speed_do_not_make_another_run():
    """A run that ran out of memory at step 300 goes on with less; one on other GPUs is another run."""
    one = TrainingConfig(engine="verl")
    for key, value in {"gpu_memory_utilization": 0.4, "offload_optimizer": True, "micro_batch": 2}.items():
        assert key in PLACEMENT
        assert TrainingConfig(engine="verl", verl={key: value}).identity() == one.identity()
    assert TrainingConfig(engine="verl", verl={"gpus_per_node": 8}).identity() != one.identity()
    assert one.identity() != TrainingConfig().identity()


def test_the_code_of_one_engine_is_no_part_of_the_others_runs():
    local, verl = (code_id(TRAIN, foreign_modules(engine)) for engine in ("local", "verl"))
    assert len({local, verl, code_id(TRAIN)}) == 3


@pytest.mark.parametrize("module", sorted(path.stem for path in ENGINE.glob("[a-z]*.py")))
def test_every_module_of_the_engine_counts_as_code_of_its_runs(module):
    """verl finds some of them by name only."""
    whole = code_id(TRAIN, foreign_modules("verl"))
    assert code_id(TRAIN, [*foreign_modules("verl"), f"tirec.training.verl_engine.{module}"]) != whole


def test_an_outcome_travels_as_a_line_of_json():
    calls = (Call("labs", CallOutcome.OK, (1, 2), 0), Call(None, CallOutcome.BAD_JSON, (), 1))
    record = EpisodeRecord((), calls, Finish.ANSWERED, 0.25, 0.25)
    sent = Outcome.of(7, 3, 120, record, RewardParts(1.0, 0.5, 0.0, 0.5, 0.43))
    got = Outcome.from_json(sent.to_json())
    assert (got.instance_id, got.slot, got.tokens, got.reward) == (7, 3, 120, sent.reward)
    assert got.record().p == 0.25
    assert [(call.function, call.outcome) for call in got.record().calls] == [
        ("labs", CallOutcome.OK),
        (None, CallOutcome.BAD_JSON),
    ]
    assert Outcome.from_json(Outcome.of(7, None, 1, record, None).to_json()).reward is None


@dataclass
class Server:
    """Writes given token ids, some of them at a time, whatever it is asked to stop at."""

    ids: list[int]
    at_once: int = 10**6
    asked: list[dict] = field(default_factory=list)

    async def generate(self, *, request_id, prompt_ids, sampling_params):
        self.asked.append({"prompt": prompt_ids, **sampling_params})
        count = min(self.at_once, sampling_params["max_tokens"])
        given, self.ids = self.ids[:count], self.ids[count:]
        told = {"min_global_steps": len(self.asked), "max_global_steps": len(self.asked)}
        return type("Output", (), {"token_ids": given, "log_probs": [-1.0] * len(given), "extra_fields": told})()


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    return next(iter(tiny.write_cases(tmp_path_factory.mktemp("cases") / "c.arrow", "train", 1)))


def finished(server, case, **sampling):
    episode = tiny.episodes([case])[0]
    told = asyncio.run(play(server, tiny.turn_end(), episode, {"temperature": 1.0, **sampling}))
    return episode, told


def stream(*texts):
    return [token for text in texts for token in tiny.protocol().encode(text)]


def test_tokens_after_a_closing_tag_never_were(case):
    """A server that cannot stop at a tag of several tokens writes on; what it wrote too much is dropped."""
    too_much = Server(stream(answer_turn("disposition", "0.35") + " and so on"))
    episode, _ = finished(too_much, case)
    assert tiny.protocol().decode(episode.response) == answer_turn("disposition", "0.35")
    assert episode.episode.p == 0.35
    assert episode.mask == [1] * len(episode.response)


def test_a_turn_given_in_parts_is_one_turn(case):
    whole, _ = finished(Server(stream(answer_turn("disposition", "0.35"))), case)
    server = Server(stream(answer_turn("disposition", "0.35")), at_once=2)
    parts, told = finished(server, case)
    assert (parts.response, parts.logprobs) == (whole.response, whole.logprobs)
    assert [one["prompt"] for one in server.asked] == [
        [*parts.prompt, *parts.response[: 2 * asked]] for asked in range(len(server.asked))
    ]
    assert told == {"min_global_steps": 1, "max_global_steps": len(server.asked)}


def test_every_turn_has_a_seed_of_its_own_and_greedy_turns_have_none(case):
    server = Server(
        stream(call_turn("disposition", "0.40", "labs")), at_once=len(stream(call_turn("disposition", "0.40", "labs")))
    )
    server.ids += stream(answer_turn("disposition", "0.35"))
    episode, _ = finished(server, case, seed=2**31 - 1)
    assert [one["seed"] for one in server.asked] == [2**31 - 1, 0]
    assert len(episode.episode.calls) == 1
    assert all("seed" not in one for one in _greedy(case).asked)


def _greedy(case):
    server = Server(stream(answer_turn("disposition", "0.35")))
    finished(server, case)
    return server


def test_a_server_with_nothing_to_say_stops_the_run(case):
    with pytest.raises(ServerError, match="wrote nothing"):
        finished(Server([]), case)


def test_a_turn_ends_at_the_length_that_is_left(case):
    episode, _ = finished(Server(stream("word " * 200)), case)
    assert episode.episode.finish is Finish.LENGTH
    assert len(episode.response) == tiny.RULES.response_tokens


def test_where_a_text_sampled_at_one_go_ends_its_turn():
    end = TurnEnd(tiny.protocol())
    ids = stream(call_turn("disposition", "0.40", "labs"))
    assert end.first([*ids, *ids]) == (len(ids), Stop.CLOSED)
    assert end.first(ids[:-1]) == (len(ids) - 1, None)
    assert end.first([*ids[:1], *sorted(tiny.protocol().end_ids)[:1], *ids]) == (2, Stop.END)
    assert tiny.protocol().end_ids <= end.closing_ids


def test_qwen3_closes_a_call_with_one_token_and_an_answer_with_several(qwen3):
    """vLLM stops at the first; the second is cut where the local engine stops sampling."""
    protocol = ChatProtocol(qwen3, PROMPTS, SCHEMAS)
    end = TurnEnd(protocol)
    assert end.closing_ids == {qwen3.convert_tokens_to_ids("</tool_call>"), *protocol.end_ids}
    ids = protocol.encode("Enough. <answer>0.35</answer> And more.")
    count, stop = end.first(ids)
    assert stop is Stop.CLOSED
    assert protocol.decode(ids[:count]) == "Enough. <answer>0.35</answer>"


def test_ramped_adamw_is_the_local_engines_schedule():
    """Two models, the same gradients: one stepped by the local engine, one by what verl is given."""
    ours, theirs = tiny.model(), tiny.model()
    chosen = optimizers(ours, Rates(1e-2, None, 0.01, (0.9, 0.99)))
    usual = {"lr": 1e-2, "betas": (0.9, 0.99), "weight_decay": 0.01}
    ramp = {"updates": 6, "per_step": 2, "ramp_steps": 2, "final_share": 0.2}
    ramped = RampedAdamW(theirs.parameters(), **ramp, **usual)
    for update in range(6):
        for model in (ours, theirs):
            draw = torch.Generator().manual_seed(update)
            for weight in model.parameters():
                weight.grad = torch.randn(weight.shape, generator=draw)
        descend(ours, chosen, share_of_rate(update // 2, 3, 2, 0.2), 1e9)
        ramped = resumed(ramped, theirs, ramp | usual) if update == 3 else ramped
        ramped.step()
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def resumed(optimizer, model, arguments):
    """The same optimizer after a checkpoint."""
    fresh = RampedAdamW(model.parameters(), **arguments)
    fresh.load_state_dict(optimizer.state_dict())
    return fresh


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    folder = verl_study.make(tmp_path_factory.mktemp("study"))
    files = {name: folder / f"{name}.arrow" for name in ("train", "validation")}
    places = {"schedule": folder / "schedule.parquet", "skills": folder / "skills", "scratch": folder / "scratch"}
    whole = {"settings": verl_study.SETTINGS, "rules": tiny.RULES, "seed": 0, "run_folder": folder}
    return Brief(**files, **places, **whole, base=folder / "base" / "disposition" / "model")


def test_a_brief_is_read_as_it_was_written(brief):
    path = brief.write()
    assert Brief.read(path) == brief
    write_agent_loop(path, brief.scratch / "loop.yaml")
    (loop,) = yaml.safe_load((brief.scratch / "loop.yaml").read_text())
    assert loop["brief"] == str(path)


def test_verl_is_given_every_slot_in_the_schedules_order(brief):
    material = brief.material()
    write_tables(material, brief.scratch / "t.parquet", brief.scratch / "v.parquet")
    rows = pl.read_parquet(brief.scratch / "t.parquet")["extra_info"].to_list()
    assert [(row["step"], row["slot"], row["instance_id"]) for row in rows] == material.schedule.select(
        "step", "slot", "instance_id"
    ).rows()
    validation = pl.read_parquet(brief.scratch / "v.parquet")["extra_info"].to_list()
    assert [row["instance_id"] for row in validation] == [case.instance_id for case in material.validation]


def test_a_scene_keeps_the_sentences_of_the_schedule(brief):
    scene = Scene(brief)
    for step, place, instance_id, kept in scene.material.schedule.select("step", "slot", "instance_id", "kept").rows():
        slot = scene.slot(step, place)
        assert slot.case.instance_id == instance_id
        assert len(slot.sentences) == kept.bit_count()
    assert scene.retention(1) == 1.0
