"""GRPO in one process on one device; killed anywhere and started again, it ends with the same numbers.

Everything random is drawn from the run's seed and the step, so that a checkpoint needs no random state: weights,
optimizer, history and validations are the whole state.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import torch
from tqdm import tqdm
from transformers import PreTrainedModel

from tirec.agent.cases import Case
from tirec.agent.prompt import ChatProtocol
from tirec.agent.reward import RewardParts, score
from tirec.agent.tokens import TokenEpisode, TurnEnd
from tirec.config.agent import ProtocolConfig
from tirec.config.training import TrainingConfig
from tirec.policy.hf import LoadedPolicy, predict_episodes, save_model
from tirec.policy.optimization import Rates, optimizers, share_of_rate
from tirec.policy.rollout import Sampling, play
from tirec.training.grpo import advantages
from tirec.training.history import Row, rollout_row, validation_row
from tirec.training.material import Material, Slot, derived_seed, prevalence, slots_of
from tirec.training.run_folder import RunFolder, StopFlag
from tirec.training.sample import Sample
from tirec.training.selection import Validation, Validations, from_plain, plain, selected_steps, validate
from tirec.training.update import update


class LocalEngine:
    """Trains one policy; `run` may be stopped after any step and called again in a new process."""

    def __init__(
        self,
        policy: LoadedPolicy,
        base: PreTrainedModel | None,
        protocol: ChatProtocol,
        material: Material,
        settings: TrainingConfig,
        rules: ProtocolConfig,
        seed: int,
    ) -> None:
        self._policy = policy
        self._base = base
        self._protocol = protocol
        self._turn_end = TurnEnd(protocol)
        self._material = material
        self._settings = settings
        self._rules = rules
        self._seed = seed
        self._optimizers = optimizers(policy.model, _rates(settings))
        self._prevalence = prevalence(material.train)
        self.history: list[Row] = []
        self.validations: Validations = {}

    @property
    def step(self) -> int:
        """Optimizer steps done."""
        return int(self.history[-1]["step"]) if self.history else 0

    def run(self, folder: RunFolder, stop: StopFlag) -> bool:
        """Trains to the end, or until `stop` is raised; whether the end was reached. Resumes from the folder."""
        saved = folder.load()
        if saved is not None:
            self._restore(saved)
        else:
            self.history.append({"step": 0, **validation_row(self._validate())})
        steps = range(self.step + 1, self._settings.steps + 1)
        with tqdm(steps, desc=self._settings.ablation, mininterval=5, file=sys.stderr) as progress:
            for step in progress:
                self._advance(step)
                if self._is_checkpoint(step):
                    self._keep_checkpoint(folder)
                elif stop.raised:
                    folder.save(self._state())
                if stop.raised:
                    return step == self._settings.steps
                folder.beat()
        return True

    def _is_checkpoint(self, step: int) -> bool:
        return step % self._settings.checkpoint_every == 0 or step == self._settings.steps

    def _advance(self, step: int) -> None:
        """One optimizer step: episodes, rewards, advantages, update, history."""
        rows = self._material.schedule.filter(pl.col("step") == step)
        episodes, cases = self._play(step, slots_of(rows, self._material))
        records = [episode.episode.record() for episode in episodes]
        rewards = [score(one, case, self._settings.reward) for one, case in zip(records, cases, strict=True)]
        samples = self._samples(episodes, cases, rewards)
        optimizer = self._settings.optimizer
        share = share_of_rate(step - 1, self._settings.steps, optimizer.ramp_steps, optimizer.final_share)
        seed = derived_seed("order", self._seed, step)
        logged = update(self._policy.model, self._base, self._optimizers, samples, self._settings, share, seed)
        known = {"step": step, "retention": rows["retention"][0], "learning_rate": optimizer.learning_rate * share}
        tokens = [len(episode.response) for episode in episodes]
        self.history.append({**known, **rollout_row(rewards, records, tokens, self._settings.group_size), **logged})

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

    def _validate(self) -> dict[str, Validation]:
        played = predict_episodes(
            self._policy, self._protocol, self._material.validation, self._rules, self._settings.local.validation_batch
        )
        return validate(((case, episode.episode.record()) for case, episode in played), self._prevalence)

    def _keep_checkpoint(self, folder: RunFolder) -> None:
        """Validates, saves the weights, then the state: a kill in between repeats the steps since the last state."""
        validations = self._validate()
        self.validations[self.step] = validations
        self.history[-1] |= validation_row(validations)
        folder.save_weights(self.step, self._save_model)
        folder.save(self._state())
        folder.keep_weights({self.step, *selected_steps(self.validations, self._settings.selection).values()})

    def _save_model(self, folder: Path) -> None:
        save_model(self._policy.model, self._policy.tokenizer, folder)

    def _state(self) -> dict[str, Any]:
        return {
            "model": self._policy.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "history": self.history,
            "validations": plain(self.validations),
        }

    def _restore(self, saved: Mapping[str, Any]) -> None:
        self._policy.model.load_state_dict(saved["model"])
        for optimizer, state in zip(self._optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self.history = saved["history"]
        self.validations = from_plain(saved["validations"])


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


def _rates(settings: TrainingConfig) -> Rates:
    chosen = settings.optimizer
    matrix_rate = chosen.matrix_rate if chosen.name == "muon" else None
    return Rates(chosen.learning_rate, matrix_rate, chosen.weight_decay, (chosen.beta1, chosen.beta2))
