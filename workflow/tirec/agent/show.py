"""One episode as text for a reader: who says what, turn by turn, and what it would earn."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from tirec.agent.cases import Case
from tirec.agent.environment import RecordEnvironment
from tirec.agent.episode import Episode, Finish
from tirec.agent.inert import escape_tags
from tirec.agent.parse import answer_text, call_text
from tirec.agent.reward import score, target
from tirec.agent.words import PromptWords
from tirec.config.agent import AgentConfig


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
    called = ", ".join(f"{call.function}: {call.outcome} ({len(call.rows)} source rows)" for call in episode.calls)
    risk = "none" if case.risk is None else f"{case.risk:.3f}"
    return (
        f"[end] {episode.finish}, p = {episode.p}\ncalls: {called or 'none'}\n"
        f"label {case.label}, teacher risk {risk}, target {target(case, config.reward):.3f},"
        f" reference set: {', '.join(case.reference) or 'empty'}\nreward: {parts}"
    )
