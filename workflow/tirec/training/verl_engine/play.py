"""An episode played with a rollout server: token in, token out, turns that end where the local engine's do."""

from typing import Any
from uuid import uuid4

from tirec.agent.episode import Stop
from tirec.agent.tokens import TokenEpisode, TurnEnd
from tirec.errors import TirecError

_SEEDS = 2**31


class ServerError(TirecError):
    """A rollout server that does not do what it was asked."""


async def play(server: Any, turn_end: TurnEnd, episode: TokenEpisode, sampling: dict[str, Any]) -> dict[str, Any]:
    """Plays an episode to its end; what the server says of the age of its weights."""
    request, turns = uuid4().hex, 0
    told: dict[str, Any] = {}
    while not episode.finished:
        seeded = {"seed": (sampling["seed"] + turns) % _SEEDS} if "seed" in sampling else {}
        turn = Turn(server, request, {**sampling, **seeded})
        stop = await turn.write(turn_end, [*episode.prompt, *episode.response], episode.remaining)
        told = _age(told, turn.told)
        episode.accept(turn.ids, turn.logprobs, stop)
        turns += 1
    return told


class Turn:
    """One turn of the model, asked of a server until it ends as it would in the local engine.

    A server stops at tokens that end a turn by themselves. Where a closing tag has several tokens, what was sampled
    after it is dropped: the local engine would not have sampled it.
    """

    def __init__(self, server: Any, request: str, sampling: dict[str, Any]) -> None:
        self._server, self._request, self._sampling = server, request, sampling
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.told: dict[str, Any] = {}

    async def write(self, turn_end: TurnEnd, read: list[int], room: int) -> Stop:
        """Writes the turn after `read`, in at most `room` tokens; why it ended."""
        stop: Stop | None = None
        while stop is None and len(self.ids) < room:
            limits = {"max_tokens": room - len(self.ids), "stop_token_ids": sorted(turn_end.closing_ids)}
            given = await self._server.generate(
                request_id=self._request,
                prompt_ids=[*read, *self.ids],
                sampling_params={**self._sampling, **limits, "ignore_eos": True},
            )
            if not given.token_ids:
                raise ServerError("the rollout server wrote nothing where tokens were left")
            self.told = _age(self.told, given.extra_fields)
            self.ids += given.token_ids
            self.logprobs += given.log_probs or [0.0] * len(given.token_ids)
            end, stop = turn_end.first(self.ids)
            del self.ids[end:], self.logprobs[end:]
        return stop or Stop.LENGTH


def _age(told: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    first = told.get("min_global_steps", fields.get("min_global_steps"))
    return {"min_global_steps": first, "max_global_steps": fields.get("max_global_steps")}
