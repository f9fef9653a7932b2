"""The tool-use study's side of training: scheduled cases with kept skill sentences, G episodes of one sample each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

import polars as pl
import torch

from tirec.agent.cases import Case
from tirec.agent.prompt import ChatProtocol
from tirec.agent.reward import RewardParts, score
from tirec.agent.tokens import TokenEpisode, TurnEnd
from tirec.config.agent import ProtocolConfig
from tirec.config.training import TrainingConfig
from tirec.policy.hf import LoadedPolicy, predict_episodes
from tirec.policy.rollout import Sampling, play
from tirec.training.grpo import advantages
from tirec.training.history import rollout_row
from tirec.training.material import Material, Slot, derived_seed, prevalence, slots_of
from tirec.training.practice import Judgement, Lesson
from tirec.training.sample import Sample
from tirec.training.selection import from_plain, selected_steps, validate


class ToolUse:
    """Practice of one policy on a schedule of cases."""

    def __init__(
        self,
        policy: LoadedPolicy,
        protocol: ChatProtocol,
        material: Material,
        settings: TrainingConfig,
        rules: ProtocolConfig,
        seed: int,
    ) -> None:
        self._policy = policy
        self._protocol = protocol
        self._turn_end = TurnEnd(protocol)
        self._material = material
        self._settings = settings
        self._rules = rules
        self._seed = seed
        self._prevalence = prevalence(material.train)

    def lesson(self, step: int) -> Lesson:
        """Episodes of the step's slots, their rewards and samples."""
        rows = self._material.schedule.filter(pl.col("step") == step)
        episodes, cases = self._play(step, slots_of(rows, self._material))
        records = [episode.episode.record() for episode in episodes]
        rewards = [score(one, case, self._settings.reward) for one, case in zip(records, cases, strict=True)]
        tokens = [len(episode.response) for episode in episodes]
        logged = {
            "retention": rows["retention"][0],
            **rollout_row(rewards, records, tokens, self._settings.group_size),
        }
        return Lesson(self._samples(episodes, cases, rewards), logged)

    def _play(self, step: int, slots: Sequence[Slot]) -> tuple[list[TokenEpisode], list[Case]]:
        """G episodes per slot, group by group; the members of a group share prompt, case and kept sentences."""
        episodes, cases = [], []
        for slot in slots:
            for _ in range(self._settings.group_size):
                episodes.append(TokenEpisode.training(self._protocol, slot.case, slot.sentences, self._rules))
                cases.append(slot.case)
        size = self._settings.local.rollout_batch
        for start in range(0, len(episodes), size):
            seed = derived_seed("rollout", self._seed, step, start)
            play(
                self._policy.model,
                self._turn_end,
                episodes[start : start + size],
                Sampling(seed, self._settings.temperature),
            )
        return episodes, cases

    def _samples(
        self, episodes: Sequence[TokenEpisode], cases: Sequence[Case], rewards: Sequence[RewardParts]
    ) -> list[Sample]:
        groups = [index // self._settings.group_size for index in range(len(episodes))]
        totals = torch.tensor([reward.total for reward in rewards], dtype=torch.float64)
        found = advantages(totals, torch.tensor(groups), self._settings.objective).tolist()
        return [
            sample_of(episode, case, group, advantage)
            for episode, case, group, advantage in zip(episodes, cases, groups, found, strict=True)
        ]

    def validate(self) -> Judgement:
        """Greedy episodes without skills on validation half A, judged by task."""
        played = predict_episodes(
            self._policy, self._protocol, self._material.validation, self._rules, self._settings.local.validation_batch
        )
        records = ((case, episode.episode.record()) for case, episode in played)
        return {task: asdict(found) for task, found in validate(records, self._prevalence).items()}

    def kept(self, judgements: Mapping[int, Judgement]) -> Collection[int]:
        """The checkpoint that each task would select."""
        return selected_steps(from_plain(judgements), self._settings.selection).values()


def sample_of(episode: TokenEpisode, case: Case, group: int, advantage: float) -> Sample:
    """A finished episode as a sample: the ids exactly as they were read and written."""
    prompt = len(episode.prompt)
    return Sample(
        ids=[*episode.prompt, *episode.response],
        mask=[*[0] * prompt, *episode.mask],
        logprobs=[*[0.0] * prompt, *episode.logprobs],
        group=group,
        case=case.instance_id,
        advantage=advantage,
    )
