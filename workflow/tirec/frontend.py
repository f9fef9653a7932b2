"""What the scripts share: flags, settings, one run at a time in a folder, and telling of a fault in one line."""

import argparse
import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, get_args

from tirec.config.base import Model, read_keys, validated
from tirec.config.data import DataClass
from tirec.errors import ConfigError, TirecError

Settings = TypeVar("Settings", bound=Model)


def run(main: Callable[[], None]) -> None:
    """Runs a script's `main`; a fault the user can act on becomes one line on stderr and exit code 2."""
    try:
        main()
    except TirecError as fault:
        sys.exit(_tell(str(fault)))
    except OSError as fault:
        sys.exit(_tell(_file_fault(fault)))


def _file_fault(fault: OSError) -> str:
    """A fault of the file system, such as a full disk, with the file's name where it is known."""
    if fault.errno is None:
        return str(fault).splitlines()[0]
    return f"{fault.filename or 'writing a result'}: {os.strerror(fault.errno).lower()}"


def _tell(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


class BusyError(TirecError):
    """Another run writes into the same folder."""


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Holds a lock file for the time of a run; raises BusyError where another run holds it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"{lock}: another demo or report is running here; wait for it or stop it") from None
        yield


def arguments(says: str | None) -> argparse.ArgumentParser:
    """A parser with the flag that every result needs: the class of the data it is made from."""
    parser = argparse.ArgumentParser(description=says, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-class", default="credentialed", choices=get_args(DataClass))
    return parser


def read_settings(model: type[Settings], text: str | None) -> Settings:
    """The settings of one stage from JSON text or the path of a YAML or JSON file; the defaults when there is none."""
    if not text:
        return model()
    content = _read_json(text) if text.lstrip().startswith("{") else read_keys(Path(text))
    return validated(model, content)


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        raise ConfigError(f"settings: not JSON from character {fault.pos + 1} on") from None
