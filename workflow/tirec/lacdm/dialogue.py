"""One case under both agents, as a state machine over token ids; no model, no torch.

`needs` says whose turn it is: an Utterance with a prompt. Whoever plays it hands the sampled ids back, and the dialogue
appends them, with what the environment inserts, to the decision agent's one growing answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tirec.agent.environment import Outcome
from tirec.agent.episode import Stop
from tirec.config.lacdm import CONDITIONS
from tirec.config.lacdm_agents import Cast
from tirec.config.lacdm_consult import ConsultConfig
from tirec.lacdm.cases import CdmCase
from tirec.lacdm.environment import ClinicEnvironment
from tirec.lacdm.menu import Menu
from tirec.lacdm.protocol import CdmProtocol
from tirec.lacdm.spoken import OBSERVATION, Action, Decision, Hypothesis, read_decision, read_hypothesis

Finish = Literal["answered", "invalid", "turns", "length"]
Speaker = Literal["hypothesis", "decision"]


class Utterance:
    """What one agent is to write next; `finished` once it did."""

    def __init__(self, speaker: Speaker, prompt: list[int], budget: int, take: "Taken") -> None:
        self.speaker = speaker
        self.prompt = prompt
        self.remaining = budget
        self.finished = False
        self._take = take

    def accept(self, ids: Sequence[int], logprobs: Sequence[float], stop: Stop) -> None:  # noqa: ARG002
        """Takes the ids as sampled, the token that stopped them included, with the sampler's log-probabilities."""
        self.finished = True
        self._take(list(ids), list(logprobs))


Taken = Callable[[list[int], list[float]], None]


@dataclass(frozen=True)
class Stated:
    """One answer of the hypothesis agent, with the prompt it saw and how many tests it had results of."""

    hypothesis: Hypothesis
    prompt: tuple[int, ...]
    known: int


@dataclass(frozen=True)
class DecisionTurn:
    """One decision turn: text as written, its action, how the order went, the source rows, and what came back."""

    text: str
    decision: Decision
    outcome: Outcome | None
    rows: tuple[int, ...]
    reply: str | None


class Dialogue:
    """One case being worked up; `ids`, `mask` and `logprobs` are the decision agent's sequence and only ever grow."""

    def __init__(self, protocol: CdmProtocol, case: CdmCase, menu: Menu, rules: ConsultConfig, cast: Cast) -> None:
        self._protocol = protocol
        self._rules = rules
        self._cast = cast
        self._stale = cast != "decision"
        self.case = case
        self.environment = ClinicEnvironment(case, menu, rules.switches, rules.limits.turns)
        self.stated: list[Stated] = []
        self.turns: list[DecisionTurn] = []
        self.prompt: list[int] = []
        self.ids: list[int] = []
        self.mask: list[int] = []
        self.logprobs: list[float] = []
        self.inserted: list[str] = []
        self._pending: tuple[str, bool] | None = None
        self.finish: Finish | None = None
        self.predicted: str | None = None

    @property
    def finished(self) -> bool:
        """Whether nobody speaks any more."""
        return self.finish is not None

    @property
    def current(self) -> Hypothesis | None:
        """The newest hypothesis; None where no hypothesis agent plays."""
        return self.stated[-1].hypothesis if self.stated else None

    def needs(self, speaker: Speaker) -> Utterance | None:
        """What `speaker` has to write now, or None; the hypothesis agent is heard first, and after each result."""
        if self.finished:
            return None
        if speaker == "hypothesis":
            return self._hypothesis() if self._stale else None
        if self._cast == "everything":
            return None
        self._catch_up()
        return None if self.finished else self._decision()

    def _hypothesis(self) -> Utterance:
        if self._cast == "everything":
            self._order_everything()
        results = [(name, self.case.texts[name]) for name in self.environment.provided]
        prompt = self._protocol.hypothesis_ids(self.case.history, results)

        def take(ids: list[int], _: list[float]) -> None:
            self.stated.append(Stated(read_hypothesis(self._protocol.decode(ids)), tuple(prompt), len(results)))
            self._stale = False
            if self._cast == "everything":
                self._conclude()

        return Utterance("hypothesis", prompt, self._rules.limits.turn_tokens, take)

    def _order_everything(self) -> None:
        for name in self.case.texts:
            self.environment.call(name, {})

    def _conclude(self) -> None:
        """The hypothesis on everything is the diagnosis."""
        named = self.stated[-1].hypothesis.condition
        self.predicted = named if named in CONDITIONS else None
        self.finish = "answered" if self.predicted else "invalid"

    def _catch_up(self) -> None:
        """Writes what the decision agent has to read before its turn: the prompt, or the last result."""
        shown = self.current.text if self.current else None
        if not self.prompt:
            self.prompt = self._protocol.decision_ids(self.case.history, shown)
        if self._pending is not None:
            text, opened = self._pending
            self._append(self._protocol.reply_ids(text, shown, opened=opened), 0, None)
            self.inserted.append(self._protocol.words.reply(text, shown, opened=opened))
            self._pending = None
        if self._room() <= 0:
            self.finish = "length"

    def _decision(self) -> Utterance:
        budget = min(self._rules.limits.turn_tokens, self._room())
        return Utterance("decision", [*self.prompt, *self.ids], budget, self._take_decision)

    def _room(self) -> int:
        return self._rules.limits.dialogue_tokens - len(self.prompt) - len(self.ids)

    def _take_decision(self, ids: list[int], logprobs: list[float]) -> None:
        self._append(ids, 1, logprobs)
        text = self._protocol.decode(ids)
        decision = read_decision(text)
        if decision.action is Action.DIAGNOSIS and decision.name in CONDITIONS:
            self.predicted, self.finish = decision.name, "answered"
            self.turns.append(DecisionTurn(text, decision, None, (), None))
            return
        if decision.action is Action.MALFORMED and self._rules.agents.malformed == "end":
            self.finish = "invalid"
            self.turns.append(DecisionTurn(text, decision, None, (), None))
            return
        outcome, rows, reply = self._carried_out(decision)
        self.turns.append(DecisionTurn(text, decision, outcome, rows, reply))
        self._pending = (reply, text.rstrip().endswith(OBSERVATION))
        if len(self.turns) >= self._rules.limits.turns:
            self.finish = "turns"

    def _carried_out(self, decision: Decision) -> tuple[Outcome | None, tuple[int, ...], str]:
        """How an order went and what is said to it; a test that gave a new result makes the hypothesis stale."""
        if decision.action is not Action.TEST:
            kind = decision.action.value if decision.action is not Action.OTHER else "action"
            return None, (), self._protocol.words.notice(kind, decision.name)
        found = self.environment.call(decision.name, {})
        if found.outcome is Outcome.OK:
            self._stale = self._cast == "two"
        return found.outcome, found.rows, found.text

    def _append(self, ids: Sequence[int], mask: int, logprobs: Sequence[float] | None) -> None:
        self.ids.extend(ids)
        self.mask.extend([mask] * len(ids))
        self.logprobs.extend(logprobs if logprobs is not None else [0.0] * len(ids))
