"""A rollout server without a GPU: a Hugging Face model in a Ray actor, token in and token out."""

import asyncio
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import ray
import torch
from torch import Tensor
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

from tirec.policy.decoding import Decoder
from tirec.policy.hf import load_model


def server_name(rank: int) -> str:
    """Name of the server that belongs to a training process."""
    return f"hf_cpu_server_{rank}"


class CpuServer:
    """Writes one turn at a time with the newest weights it was given."""

    def __init__(self, folder: str) -> None:
        torch.set_num_threads(1)
        self._model, _ = load_model(Path(folder), "cpu", "float32")
        self._step: int | None = None
        self._turn = asyncio.Lock()

    async def load(self, weights: dict[str, Tensor], step: int | None) -> None:
        """Takes new weights, all of them."""
        with torch.no_grad():
            for name, own in self._model.named_parameters():
                own.copy_(weights[name])
        self._step = step

    async def generate(
        self, request_id: str, prompt_ids: list[int], sampling_params: dict[str, Any], **_: Any
    ) -> TokenOutput:
        """Token ids up to and with one of `stop_token_ids`, at most `max_tokens`; greedy at temperature 0."""
        async with self._turn:
            ids, logprobs = await asyncio.to_thread(self._write, prompt_ids, sampling_params)
        told = {"global_steps": self._step}
        return TokenOutput(token_ids=ids, log_probs=logprobs, stop_reason="completed", extra_fields=told)

    def _write(self, prompt: list[int], sampling: dict[str, Any]) -> tuple[list[int], list[float]]:
        decoder, ends = Decoder(self._model), set(sampling["stop_token_ids"])
        draw = torch.Generator().manual_seed(sampling["seed"]) if sampling["temperature"] else None
        ids: list[int] = []
        logprobs: list[float] = []
        block = prompt
        while len(ids) < sampling["max_tokens"] and not (ids and ids[-1] in ends):
            token, logprob = _drawn(decoder.feed([block])[0], sampling["temperature"], draw)
            ids.append(token)
            logprobs.append(logprob)
            block = [token]
        return ids, logprobs

    async def wake_up(self, *_: Any, **__: Any) -> None:
        """There is no memory to take back."""

    async def sleep(self, *_: Any, **__: Any) -> None:
        """There is no memory to give away."""

    async def abort_all_requests(self, *_: Any, **__: Any) -> None:
        """Turns are short; they end by themselves."""

    async def resume_generation(self, *_: Any, **__: Any) -> None:
        """Nothing was paused."""

    async def clear_kv_cache(self, *_: Any, **__: Any) -> None:
        """Every turn has a cache of its own."""


def _drawn(logits: Tensor, temperature: float, draw: torch.Generator | None) -> tuple[int, float]:
    logprobs = (logits / (temperature or 1.0)).log_softmax(-1)
    token = logprobs.argmax() if draw is None else torch.multinomial(logprobs.exp(), 1, generator=draw)[0]
    return int(token), float(logprobs[token])


class CpuReplica(RolloutReplica):
    """verl's handle of one server."""

    async def launch_servers(self) -> None:
        """Starts the server, which takes no CPU of Ray's count."""
        options = {"name": server_name(self.replica_rank), "num_cpus": 0, "max_concurrency": 1000}
        self.servers = [ray.remote(CpuServer).options(**options).remote(self.model_config.path)]
        self._server_handle = self.servers[0]
        self._server_address = server_name(self.replica_rank)


class CpuAdapter(BaseRollout):
    """The training process's side of a server."""

    def __init__(self, config: Any, model_config: Any, device_mesh: Any, *_: Any, **__: Any) -> None:
        super().__init__(config, model_config, device_mesh)
        self._rank = int(os.environ["RANK"])

    async def resume(self, tags: list[str]) -> None:
        """There is no memory to take back."""

    async def release(self) -> None:
        """There is no memory to give away."""

    async def update_weights(
        self,
        weights: Generator[tuple[str, Tensor], None, None],
        wire_format: str = "named_tensors",
        global_steps: int | None = None,
        **_: Any,
    ) -> None:
        """Sends the weights; every process walks through them, because gathering a shard needs all."""
        full = {name: value.detach().to("cpu", torch.float32).contiguous() for name, value in weights}
        await ray.get_actor(server_name(self._rank)).load.remote(full, global_steps)
