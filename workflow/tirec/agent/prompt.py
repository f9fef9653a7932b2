"""Prompts and insertions as token ids, derived from the tokenizer's own chat template.

Turn 1 is the template's rendering; every later insertion is the piece the template itself writes there, found by
rendering once with sentinels. Nothing that was sampled or inserted is ever rendered or tokenised again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from tirec.agent.cases import Case
from tirec.agent.episode import Reply
from tirec.agent.inert import ChatTokenizer, InertText
from tirec.agent.parse import call_text
from tirec.agent.words import Message, PromptError, PromptWords
from tirec.config.agent import ProtocolConfig
from tirec.config.cohort import INSTANCE_SETS
from tirec.evidence.menu import MENU, schemas
from tirec.provenance import text_hash

_REMEMBERED = 1024
_SENTINEL = ("⟦tirec-0⟧", "⟦tirec-1⟧", "⟦tirec-2⟧")


@dataclass(frozen=True)
class Pieces:
    """The template's own text around what is inserted after a model turn; the model's end of turn opens each."""

    before_observation: str
    after_observation: str
    answer_turn: str
    after_last_observation: str
    end_of_turn: str


class ChatProtocol:
    """Everything a policy reads as token ids, for one tokenizer, one prompts folder and one list of functions."""

    def __init__(
        self,
        tokenizer: ChatTokenizer,
        prompts: Path | str,
        schemas: Sequence[dict[str, Any]],
        calls: int = 12,
        prompt_tokens: int = 6144,
    ) -> None:
        self.tokenizer = tokenizer
        # The rollouts of a case share its prompt and mostly ask the same: remembering saves most of the encoding.
        self._encoded = lru_cache(maxsize=_REMEMBERED)(self._encode)
        self.words = PromptWords(Path(prompts), calls)
        self.schemas = list(schemas)
        self.prompt_tokens = prompt_tokens
        self.inert = InertText(tokenizer)
        self.notices = self.words.notices()
        self.pieces = self._derive_pieces()
        self.end_ids = end_ids(tokenizer, self.pieces.end_of_turn)
        self.template_hash = self._identity()
        self._observation_control = self._control_of(self._observation_text("", answer_turn=False))
        self._last_control = self._control_of(self._observation_text("", answer_turn=True))
        self._prompt_control = cache(self._blank_prompt_control)

    def evaluation_messages(self, case: Case) -> list[Message]:
        """System and user message as validation and test see them: there is no way to pass a skill."""
        return self.words.messages(case, self.inert(case.view), ())

    def training_messages(self, case: Case, sentences: Sequence[str]) -> list[Message]:
        """System and user message with the retained skill sentences at the end of the user message."""
        return self.words.messages(case, self.inert(case.view), [self.inert(sentence) for sentence in sentences])

    def evaluation_prompt_ids(self, case: Case) -> list[int]:
        """Token ids of the prompt of validation and test; raises PromptError if it is too long."""
        return self._prompt_ids(case, self.evaluation_messages(case))

    def training_prompt_ids(self, case: Case, sentences: Sequence[str]) -> list[int]:
        """Token ids of a training prompt; raises PromptError if it is too long."""
        return self._prompt_ids(case, self.training_messages(case, sentences))

    def render(self, messages: list[Message], *, open_turn: bool = True) -> str:
        """The template's text for messages, with the functions listed and thinking off."""
        return self.tokenizer.apply_chat_template(
            messages,
            tools=self.schemas or None,
            tokenize=False,
            add_generation_prompt=open_turn,
            enable_thinking=False,
        )

    def reply_ids(self, reply: Reply, *, ended: bool = False) -> list[int]:
        """Ids inserted after a turn; `ended` says that the model wrote its end of turn itself."""
        text = self._observation_text(self.inert(reply.text), answer_turn=reply.answer_turn)
        expected = self._last_control if reply.answer_turn else self._observation_control
        ids = self.encode(text)
        if self._control(ids) != expected:
            raise PromptError("an observation holds text that this tokenizer reads as a control token")
        return ids if not ended else self.encode(text.removeprefix(self.pieces.end_of_turn))

    def observation_ids(self, text: str) -> list[int]:
        """Ids of one observation and the opening of the model's next turn."""
        return self.reply_ids(Reply(text, answer_turn=False))

    def answer_turn_ids(self) -> list[int]:
        """Ids of the sentence that asks for the answer, as a user turn of its own."""
        return self.encode(self.pieces.answer_turn)

    def call_ids(self, name: str) -> list[int]:
        """Ids of a bare call of function `name`."""
        return self.encode(call_text(name))

    def encode(self, text: str) -> list[int]:
        """Token ids of template text, without anything added around it."""
        return list(self._encoded(text))

    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(text, add_special_tokens=False))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids, special tokens included."""
        return self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)

    def _prompt_ids(self, case: Case, messages: list[Message]) -> list[int]:
        ids = self.encode(self.render(messages))
        if len(ids) > self.prompt_tokens:
            raise PromptError(
                f"the prompt of instance {case.instance_id} has {len(ids)} tokens, more than {self.prompt_tokens}"
            )
        if self._control(ids) != self._prompt_control(case.task, case.setting):
            raise PromptError(
                f"the prompt of instance {case.instance_id} holds a control token that is not the template's"
            )
        return ids

    def _identity(self) -> str:
        """Hash of every word around a record: the prompts of the nine settings, the insertions and the notices."""
        prompts = [self._blank_prompt(task, setting) for task, setting in INSTANCE_SETS]
        inserted = [self._observation_text("", answer_turn=last) for last in (False, True)]
        return text_hash("\0".join([*prompts, *inserted, *self.notices.values()]))

    def _blank_prompt(self, task: str, setting: str) -> str:
        case = Case(0, task, setting, 0, "train", None, 0, None, (), "", {}, {})
        return self.render(self.words.messages(case, "", ()))

    def _blank_prompt_control(self, task: str, setting: str) -> list[int]:
        return self._control_of(self._blank_prompt(task, setting))

    def _control(self, ids: Sequence[int]) -> list[int]:
        control = self.inert.control
        return [token for token in ids if token in control]

    def _control_of(self, text: str) -> list[int]:
        return self._control(self.encode(text))

    def _observation_text(self, text: str, *, answer_turn: bool) -> str:
        after = self.pieces.after_last_observation if answer_turn else self.pieces.after_observation
        return f"{self.pieces.before_observation}{text}{after}"

    def _derive_pieces(self) -> Pieces:
        """Renders a conversation with sentinels and cuts the template's own text out between them."""
        wrote, observed, asked = _SENTINEL
        turn = [*_blank_messages(), {"role": "assistant", "content": wrote}]
        observation: Message = {"role": "tool", "content": observed}
        question: Message = {"role": "user", "content": asked}
        before, after = _between(self.render([*turn, observation]), wrote, observed)
        _, after_last = _between(self.render([*turn, observation, question]), wrote, observed)
        before_question, after_question = _between(self.render([*turn, question]), wrote, asked)
        sentence = self.words.answer_turn
        return Pieces(
            before_observation=before,
            after_observation=after,
            after_last_observation=after_last.replace(asked, sentence),
            answer_turn=f"{before_question}{sentence}{after_question}",
            end_of_turn=end_of_turn(self.render(turn, open_turn=False), wrote, self.inert, self.tokenizer),
        )


def _blank_messages() -> list[Message]:
    return [{"role": "system", "content": ""}, {"role": "user", "content": ""}]


def _between(rendered: str, first: str, second: str) -> tuple[str, str]:
    """The text between two sentinels and the text after the second."""
    before, found, rest = rendered.partition(first)
    middle, found_too, after = rest.partition(second)
    if not (before and found and found_too):
        raise PromptError("the tokenizer's chat template drops or rewrites a message of the protocol")
    return middle, after


def end_of_turn(rendered: str, wrote: str, inert: InertText, tokenizer: ChatTokenizer) -> str:
    """The control token with which the template ends a model turn; '' where it uses none."""
    tail = rendered.partition(wrote)[2]
    contents = (tokenizer.added_tokens_decoder[token].content for token in inert.control)
    return max((content for content in contents if content and _opens(tail, content)), key=_specificity, default="")


def _opens(tail: str, content: str) -> bool:
    return tail.startswith(content) and not any(mark.isspace() for mark in content)


def _specificity(content: str) -> tuple[int, str]:
    return len(content), content


def end_ids(tokenizer: ChatTokenizer, end_of_turn: str) -> frozenset[int]:
    """Ids that end a model turn: the template's and the tokenizer's end of sequence."""
    found = {
        token for token, entry in tokenizer.added_tokens_decoder.items() if end_of_turn and entry.content == end_of_turn
    }
    if tokenizer.eos_token_id is not None:
        found.add(tokenizer.eos_token_id)
    return frozenset(found)


def protocol_of(tokenizer: ChatTokenizer, rules: ProtocolConfig, menu: Iterable[str] = tuple(MENU)) -> ChatProtocol:
    """The protocol in one tokenizer's tokens: with all functions, or with those of a study's menu alone."""
    return ChatProtocol(tokenizer, rules.prompts_folder(), schemas(menu), rules.calls, rules.prompt_tokens)
