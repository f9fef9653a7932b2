"""A CPU platform for verl, which has none, and the rollout `hf_cpu`; verl imports this where there is no GPU.

verl asks its platform for what `torch.cuda` offers. Nothing here is reached on a GPU.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry
from verl.workers.rollout import base as rollout_base
from verl.workers.rollout.replica import RolloutReplica, RolloutReplicaRegistry


class _CpuModule:
    """What verl calls on `torch.cuda`, for a device without memory of its own."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("max_memory", "memory")):
            return lambda *_: 0
        if name in ("empty_cache", "synchronize", "set_device", "reset_peak_memory_stats", "ipc_collect"):
            return lambda *_: None
        return getattr(torch.cpu, name)

    def mem_get_info(self, *_: object) -> tuple[int, int]:
        return 0, 0

    def device_count(self) -> int:
        return 1

    def current_device(self) -> str:
        return "cpu"

    def is_available(self) -> bool:
        return True

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def get_device_name(self, *_: object) -> str:
        return "cpu"

    def get_rng_state(self, *_: object) -> torch.Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: torch.Tensor, *_: object) -> None:
        torch.set_rng_state(state)


_MODULE = _CpuModule()


@PlatformRegistry.register(platform="cpu")
class CpuPlatform(PlatformBase):
    """A machine without an accelerator; Ray's fake GPUs stand for its training processes."""

    device_name = property(lambda _: "cpu")
    vendor_name = property(lambda _: "cpu")
    device_module = property(lambda _: _MODULE)

    def is_available(self) -> bool:
        return True

    def current_device(self) -> str:
        return "cpu"

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index: int) -> None:
        return None

    def synchronize(self, device_index: int | None = None) -> None:
        return None

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        return None

    def empty_cache(self) -> None:
        return None

    def get_device_capability(self, device_index: int = 0) -> tuple[None, None]:
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield

    def profiler_start(self) -> None:
        return None

    def profiler_stop(self) -> None:
        return None

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return []

    def is_ipc_supported(self) -> bool:
        return False

    def cudart(self) -> None:
        return None


def _replica() -> type[RolloutReplica]:
    from tirec.training.verl_engine.cpu_rollout import CpuReplica

    return CpuReplica


RolloutReplicaRegistry.register("hf_cpu", _replica)
# The adapters' table has no public door yet.
rollout_base._ROLLOUT_REGISTRY["hf_cpu", "async"] = "tirec.training.verl_engine.cpu_rollout.CpuAdapter"
