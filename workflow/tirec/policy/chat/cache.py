"""Answers kept as they come, so that no request is paid for twice: one JSON object a line, only ever appended to.

Each line is written by one call of the system, so that a killed run leaves at most a torn last line. That line is cut
off at the next opening, and its request is sent again.
"""

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from tirec.errors import TirecError
from tirec.policy.chat.completion import Completion, from_json
from tirec.provenance import text_hash


class CacheError(TirecError):
    """A cache that cannot be used now."""


def request_key(body: dict[str, Any], mode: str, weights: str) -> str:
    """Identity of a request: all that is sent (messages, tools, model, decoding), the mode, the weights served."""
    return text_hash(json.dumps([body, mode, weights], sort_keys=True))


class AnswerCache:
    """Answers by the key of their request; readable by the owner alone, as model text may quote records."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._lock(path)
        self._place: dict[str, tuple[int, int]] = {}
        self._end = self._read(path)
        os.ftruncate(self._file, self._end)

    def __len__(self) -> int:
        return len(self._place)

    def get(self, key: str) -> Completion | None:
        """The answer to a request, if it was given before."""
        place = self._place.get(key)
        if place is None:
            return None
        start, length = place
        return from_json(json.loads(os.pread(self._file, length, start))["answer"])

    def put(self, key: str, answer: Completion) -> None:
        """Keeps an answer; raises CacheError where the disk does not take it."""
        line = (json.dumps({"key": key, "answer": answer.to_json()}) + "\n").encode("ascii")
        written = os.write(self._file, line)
        if written < len(line):
            os.ftruncate(self._file, self._end)
            raise CacheError("the cache of answers could not be written: the disk is full")
        self._place[key] = (self._end, len(line))
        self._end += len(line)

    def close(self) -> None:
        """Closes the file and lets another run have it."""
        os.close(self._file)

    def _lock(self, path: Path) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise CacheError(f"{path}: another run is using this cache of answers; wait for it or stop it") from None

    def _read(self, path: Path) -> int:
        """Notes where each whole line lies; returns where the last one ends. A damaged line is asked again."""
        end = 0
        with path.open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                if key := _key(line):
                    self._place[key] = (end, len(line))
                end += len(line)
        return end


def _key(line: bytes) -> str | None:
    try:
        kept = json.loads(line)
        from_json(kept["answer"])
        return kept["key"]
    except (ValueError, KeyError, TypeError):
        return None
