"""Batched multi-turn episodes, token in and token out: what was sampled is never encoded again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor
from transformers import PreTrainedModel

from tirec.agent.episode import Stop
from tirec.policy.decoding import Decoder

COMPACT_BELOW = 0.75  # share of live rows at which finished ones are dropped from the batch
FLUSH_AT = 0.5  # share of live rows that wait for an observation at which all observations are read in one block


class Played(Protocol):
    """Whatever a model writes into: a whole episode, or one utterance of it."""

    prompt: list[int]

    @property
    def remaining(self) -> int:
        """Tokens that the next turn may use at most."""
        ...

    @property
    def finished(self) -> bool:
        """Whether nothing more is written."""
        ...

    def accept(self, ids: Sequence[int], logprobs: Sequence[float], stop: Stop) -> list[int] | None:
        """Takes one turn as sampled; returns the ids inserted after it, if any."""
        ...


class TurnStop(Protocol):
    """Tells after each token whether a turn is over."""

    def stop(self, turn: Sequence[int]) -> Stop | None:
        """Why the turn ends with its newest token, or None if it goes on."""
        ...


@dataclass(frozen=True)
class Sampling:
    """Drawing tokens at a temperature; `seed` fixes every draw, whatever the batch looks like."""

    seed: int
    temperature: float = 1.0


@dataclass
class _Row:
    """One episode being played: what it has written of this turn, and what its model has yet to read."""

    episode: Played
    noise: list[float]
    turn: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    drawn: int = 0
    ready: bool = True

    def write(self, token: int, logprob: float, turn_end: TurnStop) -> None:
        """Adds a written token; where it ends the turn, queues what the environment inserted after it."""
        self.turn.append(token)
        self.logprobs.append(logprob)
        self.pending, self.ready = [token], False
        self.drawn += 1
        stop = turn_end.stop(self.turn)
        if stop is None and len(self.turn) >= self.episode.remaining:
            stop = Stop.LENGTH
        if stop is not None:
            self.pending += self.episode.accept(self.turn, self.logprobs, stop) or []
            self.turn, self.logprobs = [], []

    def read(self) -> list[int]:
        """Hands over what is pending; the row writes again afterwards."""
        block, self.pending, self.ready = self.pending, [], True
        return block


def play(
    model: PreTrainedModel, turn_end: TurnStop, episodes: Sequence[Played], sampling: Sampling | None = None
) -> None:
    """Plays `episodes` to their end, greedily without `sampling`; neighbours with one prompt share its reading."""
    rows = _rows(episodes, sampling)
    decoder = Decoder(model)
    logits = _read_prompts(decoder, episodes)
    while True:
        for row, (token, logprob) in zip(rows, _drawn(logits, rows, sampling), strict=True):
            if row.ready:
                row.write(token, logprob, turn_end)
        rows = _compact(decoder, rows)
        if not rows:
            return
        logits = decoder.feed(_next_blocks(rows))


def _rows(episodes: Sequence[Played], sampling: Sampling | None) -> list[_Row]:
    """One uniform number per row and written token, drawn beforehand, so that a row's draws are its own."""
    if sampling is None:
        return [_Row(episode, []) for episode in episodes]
    generator = torch.Generator().manual_seed(sampling.seed)
    longest = max(episode.remaining for episode in episodes)
    noise = torch.rand(len(episodes), longest, generator=generator, dtype=torch.float64).tolist()
    return [_Row(episode, own) for episode, own in zip(episodes, noise, strict=True)]


def _read_prompts(decoder: Decoder, episodes: Sequence[Played]) -> Tensor:
    prompts: list[list[int]] = []
    prompt_of_row = []
    for episode in episodes:
        if not prompts or prompts[-1] != episode.prompt:
            prompts.append(episode.prompt)
        prompt_of_row.append(len(prompts) - 1)
    logits = decoder.feed(prompts)
    copies = torch.tensor(prompt_of_row, device=logits.device)
    decoder.keep(copies)
    return logits[copies]


def _drawn(logits: Tensor, rows: Sequence[_Row], sampling: Sampling | None) -> list[tuple[int, float]]:
    """A token for each row and its log-probability, by inverting the cumulative distribution at the row's own noise."""
    logprobs = (logits / (sampling.temperature if sampling else 1.0)).log_softmax(-1)  # (B, V)
    if sampling is None:
        tokens = logprobs.argmax(-1, keepdim=True)
    else:
        noise = torch.tensor([row.noise[row.drawn] if row.ready else 0.0 for row in rows], dtype=torch.float64)
        cumulative = logprobs.double().exp().cumsum(-1)
        tokens = torch.searchsorted(cumulative, noise.to(logits.device)[:, None] * cumulative[:, -1:], right=True)
        tokens = tokens.clamp(max=logits.shape[-1] - 1)
    return list(zip(tokens[:, 0].tolist(), logprobs.gather(1, tokens)[:, 0].tolist(), strict=True))


def _compact(decoder: Decoder, rows: list[_Row]) -> list[_Row]:
    """Drops finished rows from the batch once they are many; nothing is left when all are finished."""
    live = [index for index, row in enumerate(rows) if not row.episode.finished]
    if live and len(live) >= COMPACT_BELOW * len(rows):
        return rows
    if live:
        decoder.keep(torch.tensor(live))
    return [rows[index] for index in live]


def _next_blocks(rows: Sequence[_Row]) -> list[list[int]]:
    """What each row reads next: its newest token; observations only when enough rows wait for one."""
    live = [row for row in rows if not row.episode.finished]
    waiting = sum(len(row.pending) > 1 for row in live)
    flush = waiting >= FLUSH_AT * len(live)
    return [row.read() if not row.episode.finished and (flush or len(row.pending) == 1) else [] for row in rows]
