"""One episode as text for a reader: who says what, turn by turn, and what it would earn."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from tirec.agent.cases import Case, open_cases
from tirec.agent.environment import RecordEnvironment
from tirec.agent.episode import Episode, Finish
from tirec.agent.inert import escape_tags
from tirec.agent.parse import answer_text, call_text
from tirec.agent.reward import score, target
from tirec.agent.words import PromptWords
from tirec.config.agent import AgentConfig
from tirec.errors import DataError
from tirec.evidence.wording import count_of


def find_case(instance_id: int, files: Sequence[Path]) -> Case:
    """The case of an instance in the first file that holds it; raises DataError where none does."""
    known: list[int] = []
    for cases in map(open_cases, files):
        if instance_id in cases:
            return cases[instance_id]
        known += cases.ids
    held = f"the {len(known)} sampled ones run from {min(known)} to {max(known)}" if known else "they hold none"
    raise DataError(f"no case of instance {instance_id} in {', '.join(map(str, files))}; {held}")


def functions_named(case: Case, listed: str) -> list[str]:
    """The functions in a list separated by commas, the reference set for an empty one; raises DataError on others."""
    names = [name.strip() for name in listed.split(",") if name.strip()] or list(case.reference)
    for name in names:
        if name not in case.texts:
            near = difflib.get_close_matches(name, case.texts, n=1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(case.texts)}"
            raise DataError(f"--calls: no function {name!r}; {meant}")
    return names


def show(case: Case, calls: Sequence[str], answer: str, config: AgentConfig) -> str:
    """The prompt of `case`, an episode that makes `calls` and answers, and its reward worked out."""
    words = PromptWords(config.protocol.prompts_folder(), config.protocol.calls)
    environment = RecordEnvironment(case)
    episode = Episode(environment, config.protocol.calls, config.protocol.after_budget, words.notices())
    prompt = words.messages(case, escape_tags(case.view), ())
    parts = [f"[{message['role']}]\n{message['content']}" for message in prompt]
    parts += _turns(episode, [*map(call_text, calls), answer_text(answer)], words.answer_turn)
    return "\n\n".join([*parts, _outcome(episode, case, config)])


def _turns(episode: Episode, turns: Sequence[str], question: str) -> Iterator[str]:
    for text in turns:
        if episode.finished:
            return
        reply = episode.take(text)
        yield f"[assistant]\n{text}"
        if reply is not None:
            yield f"[user]\n<tool_response>\n{escape_tags(reply.text)}\n</tool_response>"
        if reply is not None and reply.answer_turn:
            yield f"[user]\n{question}"


def _outcome(episode: Episode, case: Case, config: AgentConfig) -> str:
    if episode.finish is not Finish.ANSWERED:
        return f"[end] {episode.finish or 'still running'}"
    earned = score(episode.record(), case, config.reward)
    parts = ", ".join(f"{name} {value:.3f}" for name, value in asdict(earned).items())
    called = ", ".join(
        f"{call.function}: {call.outcome} ({count_of(call.cited, 'source row')})" for call in episode.calls
    )
    risk = "none" if case.risk is None else f"{case.risk:.3f}"
    return (
        f"[end] {episode.finish}, p = {episode.p}\ncalls: {called or 'none'}\n"
        f"label {case.label}, teacher risk {risk}, target {target(case, config.reward):.3f},"
        f" reference set: {', '.join(case.reference) or 'empty'}\nreward: {parts}"
    )
