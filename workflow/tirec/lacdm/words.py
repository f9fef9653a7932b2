"""The agents' prompts: Jinja files that are rendered around a record, never through it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from tirec.agent.words import PromptError, templates
from tirec.config.lacdm import CONDITIONS
from tirec.lacdm.spoken import OBSERVATION

SEPARATOR = "---"


class CdmWords:
    """The prompts folder of LA-CDM; every record text that is passed in is inert already."""

    def __init__(self, folder: Path, tests: Sequence[str]) -> None:
        self._templates = templates(folder)
        self._shared: Mapping[str, Any] = {"conditions": CONDITIONS, "tests": list(tests)}

    def hypothesis(self, history: str, results: Sequence[tuple[str, str]]) -> str:
        """The hypothesis agent's message: its task, the history and every result so far."""
        return self._words("hypothesis", history=history, results=list(results))

    def decision(self, history: str, hypothesis: str | None) -> str:
        """The decision agent's message; `hypothesis` is None where no hypothesis agent plays."""
        return self._words("decision", history=history, hypothesis=hypothesis)

    def reply(self, result: str, hypothesis: str | None, *, opened: bool) -> str:
        """What is inserted after a decision turn; `opened` = the turn ended with the word that announces a result."""
        head = f" {result}" if opened else f"\n{OBSERVATION} {result}"
        lines = [head, SEPARATOR, *([hypothesis] if hypothesis else [])]
        return "\n".join(lines) + "\n"

    def notice(self, kind: str, name: str = "") -> str:
        """The line after a turn that could not be carried out: `malformed`, `action` or `diagnosis`."""
        return self._words("notice", kind=kind, name=name)

    def _words(self, template: str, **values: Any) -> str:
        try:
            return self._templates.get_template(f"{template}.j2").render(**self._shared, **values).strip()
        except jinja2.TemplateError as error:
            raise PromptError(f"prompt {template}.j2: {error}") from error
