"""LA-CDM's samples: dialogues, supervised hypotheses, stated confidences, and their weights side by side."""

from collections.abc import Sequence
from dataclasses import replace

from tirec.lacdm.cases import CdmCase
from tirec.lacdm.dialogue import Dialogue, Stated, Utterance
from tirec.lacdm.protocol import CdmProtocol
from tirec.training.sample import Sample


class Asked:
    """A confidence asked for after a fixed hypothesis."""

    def __init__(self, case: CdmCase, prompt: list[int], stated: Stated) -> None:
        self.case = case
        self.stated = stated
        self._prompt = prompt
        self.ids: list[int] = []
        self._logprobs: list[float] = []

    def utterance(self, budget: int) -> Utterance:
        """What the model is to write: the number and the end of its turn."""
        return Utterance("hypothesis", self._prompt, budget, self._take)

    def _take(self, ids: list[int], logprobs: list[float]) -> None:
        self.ids, self._logprobs = ids, logprobs

    def sample(self, group: int, advantage: float) -> Sample:
        """The number as a sample; prompt and hypothesis stand before it, mask 0."""
        return _sample(self._prompt, self.ids, [1] * len(self.ids), self._logprobs, group, self.case, advantage)


def decision_sample(one: Dialogue, group: int, advantage: float) -> Sample:
    """A finished dialogue as a sample: the decision agent's ids exactly as they were read and written."""
    return _sample(one.prompt, one.ids, one.mask, one.logprobs, group, one.case, advantage)


def _sample(
    prompt: Sequence[int],
    ids: Sequence[int],
    mask: Sequence[int],
    logprobs: Sequence[float],
    group: int,
    case: CdmCase,
    advantage: float,
) -> Sample:
    before = len(prompt)
    return Sample(
        [*prompt, *ids], [*[0] * before, *mask], [*[0.0] * before, *logprobs], group, case.case_id, advantage=advantage
    )


def target_sample(protocol: CdmProtocol, prompt: Sequence[int], case: CdmCase, group: int, placeholder: int) -> Sample:
    """A prompt of the hypothesis agent with the true condition; the confidence's position is not learned from."""
    answer, mask = protocol.target(case.condition, placeholder)
    ids = [*prompt, *answer]
    before = [0] * len(prompt)
    return Sample(ids, [*before, *mask], [0.0] * len(ids), group, case.case_id, loss="cross_entropy")


def weighted(parts: Sequence[Sequence[Sample]], loss_tokens: int | None) -> list[Sample]:
    """All samples, weighted so that each objective is its own mean, whatever stands beside it.

    The update divides by all written tokens. A policy objective is to be divided by samples x `loss_tokens` instead
    (or by its own tokens where that is empty), a supervised one by its own tokens.
    """
    total = sum(sample.written for part in parts for sample in part)
    return [replace(sample, weight=total / _divisor(part, loss_tokens)) for part in parts for sample in part]


def _divisor(part: Sequence[Sample], loss_tokens: int | None) -> float:
    supervised = part[0].loss == "cross_entropy"
    return sum(sample.written for sample in part) if supervised or not loss_tokens else len(part) * loss_tokens
