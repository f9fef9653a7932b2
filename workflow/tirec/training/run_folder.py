"""Where a training run lives: a folder per fingerprint, locked while it runs, resumed where it stopped.

`results/.runs/{policy}/seed{n}/{fingerprint}/` holds `lock`, `checkpoint.pt`, `weights/{step}/` and, at the end,
`done.json`. Whatever a kill leaves behind is either whole or has a name that nobody reads.
"""

import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from json import dumps, loads
from pathlib import Path
from subprocess import run
from time import time
from typing import Any

import torch

from tirec.errors import TirecError
from tirec.policy.folders import replace_folder
from tirec.provenance import atomic, file_hash, text_hash, write_json

SILENT_S = 1800.0
"""Seconds without a sign of life after which a lock of another machine counts as dead."""


class RunLockedError(TirecError):
    """Another live process trains in the same run folder."""


def fingerprint(files: Mapping[str, Path], settings: Mapping[str, Any]) -> str:
    """Identity of a run: the bytes of what it reads and everything it was told, paths apart."""
    hashes = {name: file_hash(path) for name, path in sorted(files.items())}
    return text_hash(dumps([hashes, settings], sort_keys=True))[:16]


@contextmanager
def locked(folder: Path) -> Iterator["RunFolder"]:
    """The run folder, held by this process alone; raises RunLockedError naming a live predecessor."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / "lock"
    _clear_dead(lock)
    try:
        with lock.open("x") as handle:
            handle.write(dumps(_me()))
    except FileExistsError:
        raise RunLockedError(f"{folder}: another process has just started here") from None
    try:
        yield RunFolder(folder)
    finally:
        lock.unlink(missing_ok=True)


def _me() -> dict[str, Any]:
    return {"host": socket.gethostname(), "pid": os.getpid(), "started": _started(os.getpid())}


def _clear_dead(lock: Path) -> None:
    try:
        holder = loads(lock.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except ValueError:  # killed while writing its lock
        holder = {"host": socket.gethostname(), "pid": -1, "started": None}
    if _alive(holder, lock):
        raise RunLockedError(
            f"{lock.parent}: process {holder['pid']} on {holder['host']} still trains here; end it, or wait for it"
        )
    lock.unlink(missing_ok=True)


def _alive(holder: Mapping[str, Any], lock: Path) -> bool:
    if holder["host"] != socket.gethostname():
        return time() - lock.stat().st_mtime < SILENT_S
    return holder["started"] is not None and _started(holder["pid"]) == holder["started"]


def _started(pid: int) -> str | None:
    """When a process began, in whatever unit the system has; None where there is no such process.

    A pid alone is not enough: it is given again after a restart.
    """
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            return stat.read_text().rpartition(")")[2].split()[19]
        except (FileNotFoundError, ProcessLookupError):
            return None
    told = run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.strip() or None


class RunFolder:
    """Checkpoints and weights of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checkpoint = folder / "checkpoint.pt"
        self._done = folder / "done.json"
        self.scratch = folder / "scratch"
        """Folder of what an engine keeps for itself; gone once the run is finished."""

    def beat(self) -> None:
        """Gives a sign of life to other machines."""
        (self.folder / "lock").touch()

    def save(self, state: Mapping[str, Any]) -> None:
        """Replaces the checkpoint, whole or not at all."""
        # Through a Python file, so that a full disk is told as one: by path, torch hides the reason.
        with atomic(self._checkpoint) as temporary, temporary.open("wb") as handle:
            torch.save(dict(state), handle)

    def load(self) -> dict[str, Any] | None:
        """The last checkpoint, on the CPU; None at a first start."""
        if not self._checkpoint.is_file():
            return None
        return torch.load(self._checkpoint, map_location="cpu", weights_only=True)

    def weights(self, step: int) -> Path:
        """Folder of the weights of a step."""
        return self.folder / "weights" / f"{step:06d}"

    def save_weights(self, step: int, save: Callable[[Path], None]) -> None:
        """Lets `save` fill the folder of a step; the folder appears whole."""
        replace_folder(self.weights(step), save)

    def keep_weights(self, steps: set[int]) -> None:
        """Deletes the weights of all other steps."""
        kept = {self.weights(step).name for step in steps}
        for folder in (self.folder / "weights").iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder)

    def finish(self, result: Mapping[str, Any]) -> None:
        """Writes the run's result and drops the checkpoint, whose optimizer state is large and no longer needed."""
        write_json(result, self._done)
        self._checkpoint.unlink(missing_ok=True)
        shutil.rmtree(self.scratch, ignore_errors=True)

    @property
    def result(self) -> dict[str, Any] | None:
        """What `finish` wrote; None while the run is unfinished."""
        return loads(self._done.read_text(encoding="utf-8")) if self._done.is_file() else None


class StopFlag:
    """Raised from a signal handler; the engine stops after the step it is in."""

    def __init__(self) -> None:
        self.raised = False

    def __call__(self, *_: object) -> None:
        """Takes a signal."""
        self.raised = True
