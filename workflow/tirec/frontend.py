"""What every script in scripts/ shares: reading its settings and telling the user of a fault in one line."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import yaml

from tirec.config.base import Model, validated
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


def read_settings(model: type[Settings], text: str | None) -> Settings:
    """The settings of one stage from JSON text or the path of a YAML or JSON file; the defaults when there is none."""
    if not text:
        return model()
    content = json.loads(text) if text.lstrip().startswith("{") else _read_yaml(Path(text))
    return validated(model, content)


def _read_yaml(path: Path) -> object:
    if not path.is_file():
        raise ConfigError(f"{path}: no such settings file")
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
