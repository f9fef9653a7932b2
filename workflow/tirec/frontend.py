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
    content = _read_json(text) if text.lstrip().startswith("{") else _read_yaml(Path(text))
    return validated(model, content)


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        raise ConfigError(f"settings: not JSON from character {fault.pos + 1} on") from None


def _read_yaml(path: Path) -> object:
    if not path.is_file():
        raise ConfigError(f"{path}: no such settings file")
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        raise ConfigError(f"{path}{f', line {mark.line + 1}' if mark else ''}: is not YAML") from None
