"""Saved episodes: one JSON object a line, zstd-compressed, written and read as a stream.

Every line holds `version` and
- `model`, `split`, `instance_id`, `task`, `setting`, and in training `step`, `retention`, `kept` (skill sentences);
- `prompt`: the system and user message as {role, content}; the functions' schemas are not repeated;
- `turns`: {text, discarded, faults, reply (text inserted, or null), answer_turn, forced}; `text` is the model's own
  unless `forced`;
- `calls`: {function, outcome, rows, turn, further_rows}, in order, `turn` counting from 0; `rows` are source rows of
  the function's table, `further_rows` those of other tables by table (absent in files of before);
- `finish`, `p` (strict), `p_lenient`, `tokens` {prompt, response, written}, and `reward` by part, or null.
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

from tirec.agent.cases import Case, Cases
from tirec.agent.environment import Outcome
from tirec.agent.episode import Call, EpisodeRecord, Finish, Reply, Turn
from tirec.agent.parse import Fault
from tirec.agent.reward import RewardParts, score
from tirec.agent.tokens import TokenEpisode
from tirec.agent.words import Message
from tirec.config.agent import RewardConfig
from tirec.errors import DataError
from tirec.provenance import atomic

VERSION = 1
_LEVEL = 6


@dataclass(frozen=True)
class Tokens:
    """Token counts; `written` of the `response` tokens are the model's own (the sum of the mask)."""

    prompt: int
    response: int
    written: int


@dataclass(frozen=True)
class Trajectory:
    """One saved episode of one model."""

    model: str
    split: str
    instance_id: int
    task: str
    setting: str
    prompt: tuple[Message, ...]
    episode: EpisodeRecord
    tokens: Tokens | None = None
    reward: RewardParts | None = None
    step: int | None = None
    retention: float | None = None
    kept: tuple[str, ...] = ()


def of(
    model: str, case: Case, played: TokenEpisode, prompt: Sequence[Message], reward: RewardParts | None = None
) -> Trajectory:
    """The trajectory of a finished token episode; training adds step, retention and kept by `dataclasses.replace`."""
    return Trajectory(
        model=model,
        split=case.split,
        instance_id=case.instance_id,
        task=case.task,
        setting=case.setting,
        prompt=tuple(prompt),
        episode=played.episode.record(),
        tokens=Tokens(len(played.prompt), len(played.response), played.written),
        reward=reward,
    )


def write(trajectories: Iterable[Trajectory], path: Path | str) -> None:
    """Writes trajectories as they come; the file appears only when all are written."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    with atomic(path) as temporary, temporary.open("wb") as raw, compressor.stream_writer(raw, closefd=False) as stream:
        for trajectory in trajectories:
            stream.write((json.dumps(to_json(trajectory)) + "\n").encode("ascii"))


def read(path: Path | str) -> Iterator[Trajectory]:
    """Yields trajectories one by one; raises DataError on another version or a damaged file."""
    with Path(path).open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
        try:
            for line in io.TextIOWrapper(stream, encoding="utf-8"):
                yield from_json(json.loads(line))
        except (zstandard.ZstdError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{path} is not a file of trajectories of version {VERSION}: {error}") from error


def rescore(trajectories: Iterable[Trajectory], cases: Cases, config: RewardConfig) -> pl.DataFrame:
    """One row per trajectory with every reward part under `config`, and the total that was saved with it."""
    return pl.DataFrame([_scored(trajectory, cases, config) for trajectory in trajectories], infer_schema_length=None)


def _scored(trajectory: Trajectory, cases: Cases, config: RewardConfig) -> dict[str, Any]:
    head = {name: getattr(trajectory, name) for name in ("model", "step", "instance_id", "task", "setting")}
    parts = asdict(score(trajectory.episode, cases[trajectory.instance_id], config))
    return {**head, "finish": str(trajectory.episode.finish), **parts, "saved_total": _saved(trajectory.reward)}


def _saved(reward: RewardParts | None) -> float | None:
    return None if reward is None else reward.total


def to_json(trajectory: Trajectory) -> dict[str, Any]:
    """The line of a trajectory, as documented above."""
    episode = trajectory.episode
    return {
        "version": VERSION,
        **{key: value for key, value in vars(trajectory).items() if key not in ("episode", "tokens", "reward")},
        "turns": [_turn(turn) for turn in episode.turns],
        "calls": [asdict(call) for call in episode.calls],
        "finish": episode.finish,
        "p": episode.p,
        "p_lenient": episode.p_lenient,
        "tokens": trajectory.tokens and asdict(trajectory.tokens),
        "reward": trajectory.reward and asdict(trajectory.reward),
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "text": turn.text,
        "discarded": turn.discarded,
        "faults": list(turn.faults),
        "reply": turn.reply and turn.reply.text,
        "answer_turn": bool(turn.reply and turn.reply.answer_turn),
        "forced": turn.forced,
    }


def from_json(line: Mapping[str, Any]) -> Trajectory:
    """The trajectory of a line; raises DataError on another version."""
    if line.get("version") != VERSION:
        raise DataError(f"a trajectory of version {line.get('version')}; this program reads version {VERSION}")
    return Trajectory(
        **{key: line[key] for key in ("model", "split", "instance_id", "task", "setting", "step", "retention")},
        prompt=tuple(line["prompt"]),
        kept=tuple(line["kept"]),
        episode=_episode(line),
        tokens=line["tokens"] and Tokens(**line["tokens"]),
        reward=line["reward"] and RewardParts(**line["reward"]),
    )


def _episode(line: Mapping[str, Any]) -> EpisodeRecord:
    return EpisodeRecord(
        turns=tuple(_read_turn(turn) for turn in line["turns"]),
        calls=tuple(_read_call(call) for call in line["calls"]),
        finish=Finish(line["finish"]),
        p=line["p"],
        p_lenient=line["p_lenient"],
    )


def _read_turn(turn: Mapping[str, Any]) -> Turn:
    reply = None if turn["reply"] is None else Reply(turn["reply"], turn["answer_turn"])
    return Turn(turn["text"], turn["discarded"], tuple(map(Fault, turn["faults"])), reply, turn["forced"])


def _read_call(call: Mapping[str, Any]) -> Call:
    further = {table: tuple(rows) for table, rows in call.get("further_rows", {}).items()}
    return Call(call["function"], Outcome(call["outcome"]), tuple(call["rows"]), call["turn"], further)
