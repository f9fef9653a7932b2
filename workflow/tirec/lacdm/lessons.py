"""LA-CDM's side of training: dialogues of each step's patients, and samples for the objective whose turn it is."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from math import inf, isnan

import numpy as np
import torch

from tirec.config.lacdm_training import CdmTrainingConfig
from tirec.lacdm.cases import CdmCase, CdmCases
from tirec.lacdm.consult import Clinic
from tirec.lacdm.dialogue import Dialogue, Stated
from tirec.lacdm.history import dialogue_row, reward_row
from tirec.lacdm.phases import ORDER, phase_at
from tirec.lacdm.rewards import DecisionReward, confidence_reward, decision_reward
from tirec.lacdm.samples import Asked, decision_sample, target_sample, weighted
from tirec.lacdm.scores import judge
from tirec.lacdm.spoken import UNKNOWN, read_confidence
from tirec.policy.rollout import Sampling, play
from tirec.training.grpo import advantages
from tirec.training.material import derived_seed
from tirec.training.practice import Judgement, Lesson, Row
from tirec.training.sample import Sample

References = Mapping[str, Collection[str]]
"""Reference set of tests by condition; needed only where matching is rewarded."""


class CdmPractice:
    """Practice of one policy; everything random comes from the run's seed and the step."""

    def __init__(
        self,
        clinic: Clinic,
        train: CdmCases,
        validation: Sequence[CdmCase],
        settings: CdmTrainingConfig,
        references: References,
        seed: int,
    ) -> None:
        self._clinic = clinic
        self._train = train
        self._validation = spread(validation, settings.validation_cases)
        self._settings = settings
        self._references = references
        self._seed = seed

    def lesson(self, step: int) -> Lesson:
        """Dialogues of the step's patients and the samples of the active objectives; nothing else is computed."""
        active = phase_at(step, self._settings.phases)
        dialogues = self._dialogues(step)
        parts: list[list[Sample]] = []
        logged: Row = {"phase": float(ORDER.index(active[0])), **dialogue_row(dialogues)}
        if "decision" in active:
            rewards = [self._reward(one) for one in dialogues]
            parts.append(self._decisions(dialogues, rewards))
            logged |= reward_row(rewards, self._settings.group_size)
        if "hypothesis" in active:
            parts.append(self._targets(dialogues))
        if "confidence" in active:
            samples, mean = self._confidences(dialogues, step)
            parts.append(samples)
            logged["confidence_reward"] = mean
        return Lesson(weighted(parts, self._settings.loss_tokens), logged)

    def validate(self) -> Judgement:
        """Diagnosis, cost and calibration on the validation cases."""
        rules = self._clinic.rules.agents
        batch = self._settings.local.validation_batch
        seed = derived_seed("validation", self._seed)
        return judge(list(self._clinic.consulted(self._validation, batch, rules.temperature, seed)))

    def kept(self, judgements: Mapping[int, Judgement]) -> Collection[int]:
        """The checkpoint that would be selected."""
        return {selected(judgements, self._settings.selection)}

    def _dialogues(self, step: int) -> list[Dialogue]:
        """G dialogues of each patient of the step, group by group."""
        cases = [
            self._train[one] for one in cases_at(step, self._train.ids, self._settings.patients_per_step, self._seed)
        ]
        dialogues = [self._clinic.dialogue(case) for case in cases for _ in range(self._group_size)]
        size = self._settings.local.rollout_batch
        for start in range(0, len(dialogues), size):
            seed = derived_seed("dialogue", self._seed, step, start)
            self._clinic.consult(dialogues[start : start + size], self._settings.temperature, seed)
        return dialogues

    @property
    def _group_size(self) -> int:
        """Rollouts of a patient; where every result is given at once and labels are learned, one says it all."""
        return 1 if self._settings.cast == "everything" else self._settings.group_size

    def _reward(self, one: Dialogue) -> DecisionReward:
        bill = one.environment
        reference = self._references.get(one.case.condition, ())
        return decision_reward(
            one.predicted, one.case.condition, bill.penalty, bill.provided, reference, self._settings.decision
        )

    def _decisions(self, dialogues: Sequence[Dialogue], rewards: Sequence[DecisionReward]) -> list[Sample]:
        groups = [index // self._settings.group_size for index in range(len(dialogues))]
        found = self._advantages([reward.total for reward in rewards], groups)
        made = zip(dialogues, groups, found, strict=True)
        return [decision_sample(one, group, advantage) for one, group, advantage in made if any(one.mask)]

    def _targets(self, dialogues: Sequence[Dialogue]) -> list[Sample]:
        """One supervised sample for each distinct prompt that the hypothesis agent met."""
        met = {stated.prompt: one.case for one in dialogues for stated in one.stated}
        protocol, placeholder = self._clinic.protocol, self._settings.placeholder
        return [
            target_sample(protocol, prompt, case, group, placeholder)
            for group, (prompt, case) in enumerate(met.items())
        ]

    def _confidences(self, dialogues: Sequence[Dialogue], step: int) -> tuple[list[Sample], float]:
        """G confidences for one hypothesis of each patient, drawn among those it stated; the hypothesis is fixed."""
        random = np.random.default_rng(derived_seed("hypothesis", self._seed, step))
        chosen = [drawn for group in self._by_patient(dialogues) if (drawn := _drawn(group, random))]
        asked = [Asked(case, self._opened(stated), stated) for case, stated in chosen for _ in range(self._group_size)]
        size = self._settings.local.rollout_batch
        for start in range(0, len(asked), size):
            sampling = Sampling(derived_seed("confidence", self._seed, step, start), self._settings.temperature)
            spoken = [one.utterance(self._clinic.rules.limits.turn_tokens) for one in asked[start : start + size]]
            play(self._clinic.model, self._clinic.answer_end, spoken, sampling)
        rewards = [self._confidence_reward(one) for one in asked]
        groups = [index // self._settings.group_size for index in range(len(asked))]
        found = self._advantages(rewards, groups) if asked else []
        samples = [one.sample(group, advantage) for one, group, advantage in zip(asked, groups, found, strict=True)]
        return samples, float(np.mean(rewards)) if rewards else float("nan")

    def _opened(self, stated: Stated) -> list[int]:
        return [*stated.prompt, *self._clinic.protocol.confidence_prefix(stated.hypothesis.condition)]

    def _confidence_reward(self, one: Asked) -> float:
        said = read_confidence(self._clinic.protocol.decode(one.ids))
        right = one.stated.hypothesis.condition == one.case.condition
        return confidence_reward(said, right, self._settings.confidence)

    def _by_patient(self, dialogues: Sequence[Dialogue]) -> list[Sequence[Dialogue]]:
        size = self._settings.group_size
        return [dialogues[start : start + size] for start in range(0, len(dialogues), size)]

    def _advantages(self, rewards: Sequence[float], groups: Sequence[int]) -> list[float]:
        totals = torch.tensor(rewards, dtype=torch.float64)
        return advantages(totals, torch.tensor(groups), self._settings.objective).tolist()


def _drawn(group: Sequence[Dialogue], random: np.random.Generator) -> tuple[CdmCase, Stated] | None:
    """One hypothesis of a patient at random; None where none named a condition."""
    named = [(one.case, stated) for one in group for stated in one.stated if stated.hypothesis.condition != UNKNOWN]
    return named[int(random.integers(len(named)))] if named else None


def cases_at(step: int, ids: Sequence[int], per_step: int, seed: int) -> list[int]:
    """The patients of a step: one shuffled pass over all of them after another."""
    places = range((step - 1) * per_step, step * per_step)
    return [ids[int(_order(len(ids), place // len(ids), seed)[place % len(ids)])] for place in places]


def spread(cases: Sequence[CdmCase], n: int | None) -> Sequence[CdmCase]:
    """At most `n` cases, evenly through the list: ids are dealt condition by condition."""
    if n is None or n >= len(cases):
        return cases
    return [cases[place * len(cases) // n] for place in range(n)]


@cache
def _order(n: int, epoch: int, seed: int) -> np.ndarray:
    return np.random.default_rng(derived_seed("epoch", seed, epoch)).permutation(n)


def selected(judgements: Mapping[int, Judgement], selection: str) -> int:
    """The checkpoint to keep: the last, or the highest mean accuracy (then the lower cost, then the earlier)."""
    if selection == "last":
        return max(judgements)
    rank = {step: found["diagnosis"] for step, found in judgements.items()}
    return max(rank, key=lambda step: (_or_lowest(rank[step]["mean_accuracy"]), -rank[step]["cost"], -step))


def _or_lowest(value: float) -> float:
    return -inf if isnan(value) else value
