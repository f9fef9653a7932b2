"""Playing dialogues with a model, in batches: every case's hypothesis, then every case's decision turn, and again."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import get_args

from transformers import PreTrainedModel

from tirec.config.lacdm_agents import Cast
from tirec.config.lacdm_consult import ConsultConfig
from tirec.lacdm.cases import CdmCase
from tirec.lacdm.dialogue import Dialogue, Speaker
from tirec.lacdm.menu import Menu
from tirec.lacdm.protocol import AnswerEnd, CdmProtocol, DecisionEnd
from tirec.policy.rollout import Sampling, TurnStop, play
from tirec.training.material import derived_seed

SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)


class Clinic:
    """A model with everything that its dialogues need."""

    def __init__(
        self, model: PreTrainedModel, protocol: CdmProtocol, menu: Menu, rules: ConsultConfig, cast: Cast
    ) -> None:
        self.model = model
        self.protocol = protocol
        self.menu = menu
        self.rules = rules
        self.cast = cast
        self.answer_end = AnswerEnd(protocol)
        self._ends: dict[Speaker, TurnStop] = {"hypothesis": self.answer_end, "decision": DecisionEnd(protocol)}

    def dialogue(self, case: CdmCase) -> Dialogue:
        """A dialogue about `case` that nobody has spoken in yet."""
        return Dialogue(self.protocol, case, self.menu, self.rules, self.cast)

    def consult(self, dialogues: Sequence[Dialogue], temperature: float, seed: int) -> None:
        """Plays dialogues to their end; neighbours with one prompt share its reading. Temperature 0 is greedy."""
        spoken = 0
        while not all(one.finished for one in dialogues):
            for speaker in SPEAKERS:
                sampling = Sampling(derived_seed(speaker, seed, spoken), temperature) if temperature else None
                self._speak(dialogues, speaker, sampling)
            spoken += 1

    def _speak(self, dialogues: Sequence[Dialogue], speaker: Speaker, sampling: Sampling | None) -> None:
        utterances = [needed for one in dialogues if (needed := one.needs(speaker))]
        if utterances:
            play(self.model, self._ends[speaker], utterances, sampling)

    def consulted(self, cases: Iterable[CdmCase], batch: int, temperature: float, seed: int) -> Iterator[Dialogue]:
        """Finished dialogues about `cases`, in their order, played batch by batch as they are asked for."""
        remaining = iter(cases)
        for number, chosen in enumerate(iter(lambda: list(islice(remaining, batch)), [])):
            dialogues = [self.dialogue(case) for case in chosen]
            self.consult(dialogues, temperature, derived_seed("consult", seed, number))
            yield from dialogues
