"""verl's FSDP2 engine on CPUs; verl imports this as the model's external library. It does nothing on a GPU."""

import os

import torch.distributed
from torch.nn import Module
from verl.utils.device import get_device_name


def _join_group() -> None:
    """Starts gloo before verl does: it would ask for a backend per device and name the CPU twice."""
    needed = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    if torch.distributed.is_initialized() or not all(name in os.environ for name in needed):
        return
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.distributed.init_process_group(
        "gloo", rank=rank, world_size=size, init_method=os.environ.get("DIST_INIT_METHOD")
    )


if get_device_name() == "cpu":
    _join_group()
    from verl.workers.engine import EngineRegistry
    from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead

    @EngineRegistry.register(model_type="language_model", backend=["fsdp", "fsdp2"], device="cpu")
    class CpuEngine(FSDPEngineWithLMHead):
        """The engine of GPUs, with a frozen base that is not pinned for a GPU that does not exist."""

        def _build_fsdp_module(self, module: Module) -> Module:
            frozen = self.engine_config.forward_only
            object.__setattr__(self.engine_config, "forward_only", False)
            try:
                return super()._build_fsdp_module(module)
            finally:
                object.__setattr__(self.engine_config, "forward_only", frozen)
