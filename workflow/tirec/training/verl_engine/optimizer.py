"""AdamW whose rate follows the run as the local engine's does; verl takes it by name."""

from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor
from torch.optim import AdamW

from tirec.policy.optimization import share_of_rate


class RampedAdamW(AdamW):
    """AdamW at `share_of_rate` of its learning rate; the number of updates done is part of its state."""

    def __init__(
        self,
        params: Iterable[Tensor],
        updates: int,
        per_step: int,
        ramp_steps: int,
        final_share: float,
        **usual: Any,
    ) -> None:
        super().__init__(params, **usual)
        self._updates, self._per_step = updates, per_step
        self._ramp, self._final = ramp_steps, final_share
        for group in self.param_groups:
            group["updates_done"] = 0

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        """One update at the share of the rate that its optimizer step has."""
        full = [group["lr"] for group in self.param_groups]
        for group, rate in zip(self.param_groups, full, strict=True):
            done = group["updates_done"] // self._per_step
            steps = self._updates // self._per_step
            group["lr"] = rate * share_of_rate(done, steps, self._ramp, self._final)
            group["updates_done"] += 1
        try:
            return super().step(closure)
        finally:
            for group, rate in zip(self.param_groups, full, strict=True):
                group["lr"] = rate
