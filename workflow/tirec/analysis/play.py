"""A policy plays the studies: groups of its own choice, groups given to it, and edited observations.

The ten rewardable summaries are the whole menu, the prompt says "at most k", and a spent budget is followed by the same
sentence and turn, whoever chose. Where the environment chooses, it writes the calls (mask 0) in the tokens with which
the model would have written a bare call.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import polars as pl
from tqdm import tqdm

from tirec.agent.cases import Case, Cases
from tirec.agent.environment import RAN
from tirec.agent.episode import Stop
from tirec.agent.prompt import ChatProtocol, protocol_of
from tirec.agent.tokens import TokenEpisode, TurnEnd
from tirec.analysis.arms import OWN, RANDOM, STUDY_SCHEMA
from tirec.analysis.counterfactual import ORIGINAL
from tirec.config.agent import ProtocolConfig
from tirec.config.studies import PolicyStudyConfig
from tirec.evaluation.predict import require_template
from tirec.evidence.menu import REWARDABLE
from tirec.policy.hf import LoadedPolicy, load
from tirec.policy.rollout import play


@dataclass(frozen=True)
class Play:
    """One episode to play: who chooses, and the groups that are given, in their order."""

    case: Case
    arm: str
    k: int
    draw: int = 0
    given: tuple[str, ...] = ()
    about: tuple[str, ...] | None = None
    """What stands under `groups` where it is not the groups themselves: the edited function."""


class Told:
    """An episode from where it stands: what the environment has written into it is read with its prompt."""

    def __init__(self, episode: TokenEpisode) -> None:
        self._episode = episode
        self.prompt = episode.prompt + episode.response

    @property
    def remaining(self) -> int:
        """Tokens that the next turn may use at most."""
        return self._episode.remaining

    @property
    def finished(self) -> bool:
        """Whether the episode has ended."""
        return self._episode.finished

    def accept(self, ids: Sequence[int], logprobs: Sequence[float], stop: Stop) -> list[int] | None:
        """Takes one turn as sampled; returns the ids inserted after it, if any."""
        return self._episode.accept(ids, logprobs, stop)


class Table:
    """One policy under budget k, with the menu of the studies."""

    def __init__(self, policy: LoadedPolicy, rules: ProtocolConfig, k: int) -> None:
        self._policy = policy
        self._rules = rules.model_copy(update={"calls": k})
        self._protocol: ChatProtocol = protocol_of(policy.tokenizer, self._rules, REWARDABLE)
        self._turn_end = TurnEnd(self._protocol)

    def played(self, plays: Iterable[Play], batch: int) -> Iterator[dict[str, object]]:
        """Rows of STUDY_SCHEMA, in the order of the plays."""
        remaining = iter(plays)
        while chosen := list(islice(remaining, batch)):
            episodes = [self._started(one) for one in chosen]
            if running := [Told(one) for one in episodes if not one.finished]:
                play(self._policy.model, self._turn_end, running)
            yield from map(_row, chosen, episodes)

    def _started(self, one: Play) -> TokenEpisode:
        episode = TokenEpisode.evaluation(self._protocol, one.case, self._rules, REWARDABLE)
        for name in one.given:
            if not episode.finished:
                episode.write_call(name)
        return episode


def _row(one: Play, played: TokenEpisode) -> dict[str, object]:
    episode = played.episode.record()
    ran = [call.function for call in episode.calls if call.outcome in RAN]
    return {
        "instance_id": one.case.instance_id,
        "arm": one.arm,
        "k": one.k,
        "draw": one.draw,
        "groups": ran if one.about is None else list(one.about),
        "p": episode.p,
        "finish": str(episode.finish),
        "calls": len(episode.calls),
    }


def arms(
    policies: Mapping[str, Path], cases: Cases, drawn: pl.DataFrame, config: PolicyStudyConfig
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(own arm, random arm) of one policy at every budget on the cases of `drawn` (see reading.draw_groups)."""
    rows: list[dict[str, object]] = []
    for task, part in drawn.group_by("task", maintain_order=True):
        policy, rules = _loaded(policies[str(task[0])], config)
        for k in tqdm(config.budgets, desc=f"{task[0]}: budgets", mininterval=5, file=sys.stderr):
            plays = _plays(cases, part, k)
            rows += Table(policy, rules, k).played(plays, config.batch)
    frame = pl.DataFrame(rows, schema=STUDY_SCHEMA)
    return frame.filter(pl.col("arm") == OWN), frame.filter(pl.col("arm") == RANDOM)


def _plays(cases: Cases, drawn: pl.DataFrame, k: int) -> list[Play]:
    """Every case once by its own choice, then every case and draw with its first k groups."""
    own = [Play(cases[one], OWN, k) for one in drawn["instance_id"].unique(maintain_order=True)]
    orders = drawn.select("instance_id", "draw", "groups").iter_rows()
    return own + [Play(cases[one], RANDOM, k, draw, tuple(groups[:k])) for one, draw, groups in orders]


def counterfactuals(
    policies: Mapping[str, Path], cases: Cases, edits: pl.DataFrame, config: PolicyStudyConfig
) -> pl.DataFrame:
    """Every edited case with all ten groups given in the menu's order, once as it is and once per edit.

    edits: instance_id, function, edit, text (see edits.edit_observations).
    """
    frame = cases.frame
    rows: list[dict[str, object]] = []
    for task, path in policies.items():
        own = edits.filter(pl.col("instance_id").is_in(_ids(frame, task)))
        policy, rules = _loaded(path, config)
        plays = tqdm(_edited(cases, own), desc=f"{task}: edits", mininterval=5, file=sys.stderr)
        rows += Table(policy, rules, len(REWARDABLE)).played(plays, config.batch)
    return pl.DataFrame(rows, schema=STUDY_SCHEMA).sort("instance_id", "arm", "groups")


def _ids(frame: pl.DataFrame, task: str) -> Collection[int]:
    return frame.filter(pl.col("task") == task)["instance_id"].to_list()


def _edited(cases: Cases, edits: pl.DataFrame) -> list[Play]:
    plays = []
    for (one,), rows in edits.sort("instance_id").group_by("instance_id", maintain_order=True):
        case = cases[int(str(one))]
        plays.append(_shown(case, ORIGINAL, ()))
        for function, edit, text in rows.select("function", "edit", "text").iter_rows():
            plays.append(_shown(replace(case, texts={**case.texts, function: text}), edit, (function,)))
    return plays


def _shown(case: Case, arm: str, about: Sequence[str]) -> Play:
    return Play(case, arm, len(REWARDABLE), 0, REWARDABLE, tuple(about))


def _loaded(path: Path, config: PolicyStudyConfig) -> tuple[LoadedPolicy, ProtocolConfig]:
    """The policy, in the words it was made with, and the study's rules."""
    policy = load(path, dtype=config.dtype, threads=config.threads)
    usual = config.protocol.model_copy(update={"calls": policy.file.calls})
    require_template(policy.file, protocol_of(policy.tokenizer, usual), path)
    return policy, config.protocol
