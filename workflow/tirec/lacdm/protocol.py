"""LA-CDM in one tokenizer's token ids: prompts, insertions and supervised targets; nothing is tokenised twice."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from tirec.agent.episode import Stop
from tirec.agent.inert import ChatTokenizer, InertText
from tirec.agent.prompt import end_ids, end_of_turn
from tirec.agent.words import PromptError
from tirec.lacdm.spoken import CONFIDENCE_OPEN, HYPOTHESIS_OPEN, OBSERVATION
from tirec.lacdm.words import CdmWords
from tirec.provenance import text_hash

_REMEMBERED = 4096
_WINDOW = 16
_SENTINEL = "⟦tirec-0⟧"
_PLAIN = "-"
"""A record that holds no control token."""


class CdmProtocol:
    """Everything both agents read as token ids, for one tokenizer, one prompts folder and one menu."""

    def __init__(self, tokenizer: ChatTokenizer, prompts: Path, tests: Sequence[str]) -> None:
        self.tokenizer = tokenizer
        self.words = CdmWords(prompts, tests)
        self.inert = InertText(tokenizer)
        self._encoded = lru_cache(maxsize=_REMEMBERED)(self._encode)
        self.end_ids = end_ids(tokenizer, self.end_of_turn)

    @cached_property
    def end_of_turn(self) -> str:
        """The control token with which the template ends an answer."""
        answered = [{"role": "user", "content": ""}, {"role": "assistant", "content": _SENTINEL}]
        rendered = self.tokenizer.apply_chat_template(answered, tokenize=False)
        return end_of_turn(rendered, _SENTINEL, self.inert, self.tokenizer)

    @cached_property
    def identity(self) -> str:
        """Hash of every word around a record."""
        spoken = [self.render(self.words.hypothesis("", [])), self.words.reply("", "", opened=True)]
        spoken += [self.render(self.words.decision("", shown)) for shown in (None, "")]
        spoken += [self.words.notice(kind) for kind in ("malformed", "action", "diagnosis")]
        return text_hash("\0".join(spoken))

    def hypothesis_ids(self, history: str, results: Sequence[tuple[str, str]]) -> list[int]:
        """Prompt of the hypothesis agent; raises PromptError where record text would be read as a control token."""
        shown = [(name, self.inert(text)) for name, text in results]
        return self._prompt(self.words.hypothesis(self.inert(history), shown), self._hypothesis_control)

    def decision_ids(self, history: str, hypothesis: str | None) -> list[int]:
        """Prompt of the decision agent, with the first hypothesis where there is one."""
        return self._prompt(self.words.decision(self.inert(history), hypothesis), self._decision_control)

    def reply_ids(self, result: str, hypothesis: str | None, *, opened: bool) -> list[int]:
        """Ids inserted after a decision turn: a result or a notice, and the current hypothesis."""
        return self._without_control(self.words.reply(self.inert(result), hypothesis, opened=opened))

    def confidence_prefix(self, condition: str) -> list[int]:
        """An answer of the hypothesis agent up to the place where the confidence stands."""
        return self.encode(f"{HYPOTHESIS_OPEN}{condition}{CONFIDENCE_OPEN}")

    def target(self, condition: str, placeholder: int) -> tuple[list[int], list[int]]:
        """The supervised answer and its mask: 0 at the confidence's position, whatever other token looks like it."""
        prefix, number = self.confidence_prefix(condition), self.encode(str(placeholder))
        end = self.encode(self.end_of_turn)
        return [*prefix, *number, *end], [*[1] * len(prefix), *[0] * len(number), *[1] * len(end)]

    def render(self, content: str) -> str:
        """The template's text of one user message and the opening of the answer."""
        return self.tokenizer.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True, enable_thinking=False
        )

    def encode(self, text: str) -> list[int]:
        """Token ids of text, without anything added around it."""
        return list(self._encoded(text))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of model-written ids, without the token that ended them."""
        written = ids[:-1] if ids and ids[-1] in self.end_ids else ids
        return self.tokenizer.decode(list(written), skip_special_tokens=False, clean_up_tokenization_spaces=False)

    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(text, add_special_tokens=False))

    def _prompt(self, content: str, expected: list[int]) -> list[int]:
        ids = self.encode(self.render(content))
        if self._control(ids) != expected:
            raise PromptError("a record holds text that this tokenizer reads as a control token")
        return ids

    @cached_property
    def _hypothesis_control(self) -> list[int]:
        return self._control(self.encode(self.render(self.words.hypothesis(_PLAIN, []))))

    @cached_property
    def _decision_control(self) -> list[int]:
        return self._control(self.encode(self.render(self.words.decision(_PLAIN, None))))

    def _without_control(self, text: str) -> list[int]:
        ids = self.encode(text)
        if self._control(ids):
            raise PromptError("a result holds text that this tokenizer reads as a control token")
        return ids

    def _control(self, ids: Sequence[int]) -> list[int]:
        return [token for token in ids if token in self.inert.control]


class AnswerEnd:
    """The end of a hypothesis agent's answer: the model's own end of turn."""

    def __init__(self, protocol: CdmProtocol) -> None:
        self._ends = protocol.end_ids

    def stop(self, turn: Sequence[int]) -> Stop | None:
        """Why the answer ends with its newest token, or None if it goes on."""
        return Stop.END if turn[-1] in self._ends else None


class DecisionEnd:
    """The end of a decision turn: the end of turn, or the word that makes room for a result."""

    def __init__(self, protocol: CdmProtocol) -> None:
        self._protocol = protocol
        self._closers = frozenset(token for text, token in protocol.tokenizer.get_vocab().items() if ":" in text)

    def stop(self, turn: Sequence[int]) -> Stop | None:
        """Why the turn ends with its newest token, or None if it goes on."""
        if turn[-1] in self._protocol.end_ids:
            return Stop.END
        if turn[-1] in self._closers and OBSERVATION in self._protocol.decode(turn[-_WINDOW:]):
            return Stop.CLOSED
        return None
