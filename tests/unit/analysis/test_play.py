"""A small policy in the studies: both arms, what it reads, and what is written down."""

from dataclasses import replace

import polars as pl
import pytest
import tiny_policy as tiny

from tirec.agent.tokens import TokenEpisode, TurnEnd
from tirec.analysis.arms import OWN, RANDOM
from tirec.analysis.counterfactual import ORIGINAL
from tirec.analysis.play import Play, Table, Told, arms, counterfactuals
from tirec.analysis.reading import draw_groups
from tirec.config.studies import PolicyStudyConfig, StudiesConfig
from tirec.evidence.menu import REWARDABLE
from tirec.policy.base import build_tiny
from tirec.policy.hf import load
from tirec.policy.rollout import play

BUDGETS = (1, 2, 4)


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return tiny.write_cases(tmp_path_factory.mktemp("cases") / "test.arrow", "test", 3)


@pytest.fixture(scope="module")
def policies(cases, tmp_path_factory):
    folder = tmp_path_factory.mktemp("base")
    build_tiny(tiny.BASE, cases, tiny.RULES, "synthetic", folder)
    return {task: folder / task / "policy.json" for task in ("disposition", "decompensation", "revisit")}


@pytest.fixture(scope="module")
def config():
    return PolicyStudyConfig(protocol=tiny.RULES, budgets=BUDGETS, batch=5)


@pytest.fixture(scope="module")
def drawn(cases):
    listed = cases.frame.select("instance_id", "task", "setting", mrn="instance_id")
    return draw_groups(listed, StudiesConfig(cases=2, draws=2))


@pytest.fixture(scope="module")
def played(policies, cases, drawn, config):
    return arms(policies, cases, drawn, config)


def test_every_case_is_played_once_per_budget_and_per_draw(played, drawn):
    own, given = played
    assert own.height == drawn["instance_id"].n_unique() * len(BUDGETS)
    assert given.height == drawn.height * len(BUDGETS)
    assert set(own["arm"]) == {OWN} and set(given["arm"]) == {RANDOM}


def test_the_own_arm_stays_within_its_budget_and_menu(played):
    own, _ = played
    assert (own["groups"].list.len() <= own["k"]).all()
    assert set(own["groups"].explode().drop_nulls()) <= set(REWARDABLE)


def test_the_random_arm_has_exactly_the_first_k_drawn_groups(played, drawn):
    _, given = played
    joined = given.join(drawn, on=["instance_id", "draw"], suffix="_drawn")
    assert (joined["groups"].list.len() == joined["k"]).all()
    assert all(row["groups"] == row["groups_drawn"][: row["k"]] for row in joined.iter_rows(named=True))


def test_what_the_environment_wrote_is_read(cases):
    """The same prompt, another observation written by the environment: another next token distribution."""
    case = cases[cases.ids[0]]
    model, turn_end = tiny.model(3), TurnEnd(tiny.protocol())
    told = [case, replace(case, texts={**case.texts, "labs": "VERY HIGH, rising: 777 /min, 777"})]
    episodes = [TokenEpisode.evaluation(tiny.protocol(), one, tiny.RULES) for one in told]
    for episode in episodes:
        episode.write_call("labs")
    play(model, turn_end, [Told(episode) for episode in episodes])
    first = [next(value for value, own in zip(one.logprobs, one.mask, strict=True) if own) for one in episodes]
    assert first[0] != first[1]


def test_a_batch_of_told_episodes_plays_as_each_alone(policies, cases):
    """Different pasts side by side do not see each other."""
    policy = load(policies["revisit"])
    plays = [Play(cases[one], RANDOM, 2, 0, REWARDABLE[at : at + 2]) for at, one in enumerate(cases.ids[:4])]
    table = Table(policy, tiny.RULES, 2)
    assert list(table.played(plays, 4)) == [row for one in plays for row in table.played([one], 1)]


def test_edits_are_played_beside_the_original(policies, cases, config):
    one = cases.ids[0]
    edits = pl.DataFrame(
        {
            "instance_id": [one] * 2,
            "function": ["labs", "orders"],
            "edit": ["critical", "exchange"],
            "text": ["A: 1", "B: 2"],
        }
    )
    found = counterfactuals(policies, cases, edits, config)
    assert found.select("instance_id", "arm", "k", "groups").rows() == [
        (one, "critical", 10, ["labs"]),
        (one, "exchange", 10, ["orders"]),
        (one, ORIGINAL, 10, []),
    ]
