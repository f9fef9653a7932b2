"""A finished dialogue in the form in which every study saves its episodes, so that one viewer shows them all."""

from tirec.agent.episode import Call, EpisodeRecord, Finish, Reply, Turn
from tirec.agent.trajectories import Tokens, Trajectory
from tirec.agent.words import Message
from tirec.lacdm.dialogue import Dialogue
from tirec.lacdm.spoken import Action, hypothesis_text
from tirec.lacdm.words import CdmWords

TASK = "diagnosis"
FINISHES = {
    "answered": Finish.ANSWERED,
    "invalid": Finish.BAD_ANSWER,
    "turns": Finish.NO_ANSWER,
    "length": Finish.LENGTH,
}


def trajectory(model: str, one: Dialogue, words: CdmWords) -> Trajectory:
    """The dialogue's trajectory; the setting is the condition, and there is no probability."""
    assert one.finish is not None
    record = EpisodeRecord(tuple(_turns(one)), tuple(_calls(one)), FINISHES[one.finish], p=None, p_lenient=None)
    tokens = Tokens(len(one.prompt), len(one.ids), sum(one.mask))
    case = one.case
    return Trajectory(model, case.split, case.case_id, TASK, case.condition, _prompt(one, words), record, tokens)


def _prompt(one: Dialogue, words: CdmWords) -> tuple[Message, ...]:
    """What was read first: the decision agent's message, or everything at once where it does not play."""
    if not one.prompt:
        known = [(name, one.case.texts[name]) for name in one.environment.provided]
        return ({"role": "user", "content": words.hypothesis(one.case.history, known)},)
    first = one.stated[0].hypothesis.text if one.stated else None
    return ({"role": "user", "content": words.decision(one.case.history, first)},)


def _turns(one: Dialogue) -> list[Turn]:
    """Decision turns with what was inserted after each, the next hypothesis included."""
    if not one.turns and one.stated:
        last = one.stated[-1].hypothesis
        return [Turn(hypothesis_text(last.condition, str(last.confidence)), "", (), None)]
    after = [*one.inserted, *([None] * (len(one.turns) - len(one.inserted)))]
    return [
        Turn(turn.text, "", (), None if text is None else Reply(text, answer_turn=False))
        for turn, text in zip(one.turns, after, strict=True)
    ]


def _calls(one: Dialogue) -> list[Call]:
    return [
        Call(turn.decision.name, turn.outcome, turn.rows, place)
        for place, turn in enumerate(one.turns)
        if turn.decision.action is Action.TEST and turn.outcome is not None
    ]


def as_text(told: Trajectory, predicted: str | None) -> str:
    """A saved dialogue for a reader: what was read first, who wrote what, what came back, how it ended."""
    parts = [f"[{message['role']}]\n{message['content']}" for message in told.prompt]
    for turn in told.episode.turns:
        parts += [f"[agent]\n{turn.text}", *([f"[environment]\n{turn.reply.text.strip()}"] if turn.reply else [])]
    calls = ", ".join(f"{call.function}: {call.outcome} ({len(call.rows)} source rows)" for call in told.episode.calls)
    ended = f"[end] {told.episode.finish}, diagnosis {predicted or 'none'}, condition {told.setting}"
    return "\n\n".join([*parts, f"{ended}\ntests: {calls or 'none'}"])
