"""The signals that ask a training run to save and stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# SIGURG is what a cluster sends before the time limit: every process of a job gets it, and those that know nothing of
# it (shell, Snakemake, Ray) live on. SIGTERM comes when a job is cancelled or preempted, shortly before the kill.
STOP_SIGNALS = (signal.SIGTERM, signal.SIGURG)


@contextmanager
def on_stop_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Lets `handler` answer those signals while the block runs."""
    previous = {number: signal.signal(number, handler) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, one in previous.items():
            signal.signal(number, one)
