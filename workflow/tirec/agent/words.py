"""The words of the prompts: Jinja files rendered for one case, before any tokenizer sees them."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import jinja2

from tirec.agent.cases import Case
from tirec.agent.environment import Outcome
from tirec.errors import TirecError

Message = dict[str, Any]
_NOTICES = (Outcome.REPEATED, Outcome.UNKNOWN_FUNCTION, Outcome.BAD_ARGUMENTS, Outcome.BAD_JSON)


class PromptError(TirecError):
    """A prompt that cannot be built: too long, or a template that does not fit the protocol."""


def templates(folder: Path) -> jinja2.Environment:
    """The prompt templates of a folder; text goes in as it is, and a name that nobody fills is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


class PromptWords:
    """The prompts folder: Jinja files for the system message, the tasks, the user message and the fixed sentences."""

    def __init__(self, folder: Path, calls: int) -> None:
        self._templates = templates(folder)
        self._calls = calls
        self.answer_turn = self._words("answer_turn")

    def notices(self) -> dict[Outcome, str]:
        """The one-line notices of calls that did not run."""
        return {outcome: self._words("notice", outcome=outcome.value) for outcome in _NOTICES}

    def messages(self, case: Case, view: str, sentences: Collection[str]) -> list[Message]:
        """System and user message; `view` and `sentences` are inert already."""
        about = {"task": case.task, **describe(case.task, case.setting, case.cutoff_s)}
        system = self._words("system", definition=self.definition(case), **about)
        user = self._words("user", view=view, sentences=list(sentences), **about)
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def definition(self, case: Case) -> str:
        """The definition of the case's task, with outcome, cutoff and horizon filled in."""
        return self._words(case.task, task=case.task, **describe(case.task, case.setting, case.cutoff_s))

    def _words(self, name: str, **values: Any) -> str:
        try:
            return self._templates.get_template(f"{name}.j2").render(calls=self._calls, **values).strip()
        except jinja2.TemplateError as error:
            raise PromptError(f"prompt {name}.j2: {error}") from error


_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def describe(task: str, setting: str, cutoff_s: int) -> dict[str, str]:
    """Cutoff and horizon in words: `cutoff` ("2 h 05 min after arrival"), `horizon` ("90 minutes"), `setting`."""
    hours, minutes = divmod(round(cutoff_s / 60), 60)
    amount, unit = setting[:-1], _UNITS[setting[-1]]
    horizon = "the end of this visit" if task == "disposition" else f"{amount} {unit}"
    return {"setting": setting, "cutoff": f"{hours} h {minutes:02d} min after arrival", "horizon": horizon}
