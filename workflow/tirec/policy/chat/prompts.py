"""What a chat model reads first: the policies' own messages, and what a variant puts beside them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tirec.agent.cases import Case
from tirec.agent.inert import escape_tags
from tirec.agent.words import Message, PromptWords, describe, templates
from tirec.config.agent import REPOSITORY, ProtocolConfig
from tirec.config.chat import ChatConfig

CHAT_PROMPTS = REPOSITORY / "config" / "prompts" / "chat"
Examples = Mapping[tuple[str, str], Sequence[Case]]
"""Training cases to show, by task and setting."""


class ChatPrompts:
    """Opening messages of one chat model; record text in them is inert, and no skill can be passed."""

    def __init__(
        self,
        config: ChatConfig,
        rules: ProtocolConfig,
        schemas: Sequence[dict[str, Any]],
        examples: Examples,
        folder: Path = CHAT_PROMPTS,
    ) -> None:
        self.words = PromptWords(rules.prompts_folder(), rules.calls)
        self.tools = list(schemas)
        self._config = config
        self._examples = examples
        self._templates = templates(folder)

    def opening(self, case: Case) -> list[Message]:
        """System and user message of a case under the model's variant."""
        if self._config.variant == "full_context":
            return self._full_context(case)
        system, user = self.words.messages(case, escape_tags(case.view), ())
        parts = [system["content"], *self._functions(), *self._few_shot(case)]
        return [{"role": "system", "content": "\n\n".join(parts)}, user]

    def _functions(self) -> list[str]:
        """The list of functions, where neither the server nor the chat template writes it."""
        if self._config.mode == "native" or self._config.functions == "template":
            return []
        return [self._render("functions", functions=[tool["function"] for tool in self.tools])]

    def _few_shot(self, case: Case) -> list[str]:
        if self._config.variant != "few_shot":
            return []
        examples = [_example(one) for one in self._examples[case.task, case.setting]]
        return [self._render("few_shot", examples=examples)]

    def _full_context(self, case: Case) -> list[Message]:
        system = self._render("full_context_system", definition=self.words.definition(case))
        about = describe(case.task, case.setting, case.cutoff_s)
        user = self._render("full_context_user", view=escape_tags(case.view), texts=_texts(case, case.texts), **about)
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def _render(self, name: str, **values: Any) -> str:
        return self._templates.get_template(f"{name}.j2").render(**values).strip()


def _example(case: Case) -> dict[str, Any]:
    """A training case as it is shown: its view, what its reference functions say, and the outcome."""
    return {"view": escape_tags(case.view), "texts": _texts(case, case.reference), "label": case.label}


def _texts(case: Case, names: Sequence[str] | Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, escape_tags(case.texts[name])) for name in names]
