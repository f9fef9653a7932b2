"""The frozen base of every configuration model."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from tirec.errors import ConfigError


class Model(BaseModel):
    """A frozen configuration section: unknown keys are errors, the string under a field is its documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=())


Settings = TypeVar("Settings", bound=Model)


def read_keys(path: Path) -> dict[str, Any]:
    """The content of a YAML or JSON file of settings; raises ConfigError naming the file, and the line at fault."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text") from None
    except yaml.YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        raise ConfigError(f"{path}{f', line {mark.line + 1}' if mark else ''}: is not YAML") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: holds no keys with values")
    return content


def validated(model: type[Settings], content: object) -> Settings:
    """`content` as a `model`; raises ConfigError with one line that names the key."""
    try:
        return model.model_validate(content)
    except ValidationError as fault:
        raise ConfigError(_explained(fault, model)) from None


def _explained(fault: ValidationError, model: type[BaseModel]) -> str:
    """One line for the first error: the key, what is wrong, and the nearest key of `model` that exists."""
    error = fault.errors()[0]
    path = [str(part) for part in error["loc"]]
    key = ".".join(path) or "settings"
    if error["type"] != "extra_forbidden":
        said = error["msg"].replace("a valid tuple", "a list")
        return f"{key}: {said[0].lower()}{said[1:]}{_got(error)}"
    keys = list(_all_keys(model))
    near = difflib.get_close_matches(key, keys, n=1, cutoff=0.6) or _same_name(path[-1], keys)
    return f"{key}: no such configuration key" + (f"; did you mean {near[0]}?" if near else "")


def _same_name(name: str, keys: Iterable[str]) -> list[str]:
    """Keys anywhere in the configuration whose own name is like this one."""
    last = {key.rsplit(".", 1)[-1]: key for key in keys}
    return [last[match] for match in difflib.get_close_matches(name, last, n=1, cutoff=0.75)]


def _all_keys(model: type[BaseModel], prefix: str = "") -> Iterable[str]:
    for name, field in model.model_fields.items():
        key = prefix + (field.alias or name)
        yield key
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _all_keys(kind, key + ".")


def _got(error: ErrorDetails) -> str:
    """What was given instead, for an error line; not where somebody may have pasted a key in place of its name."""
    value = error.get("input")
    return "" if "key_env" in error["loc"] or (isinstance(value, dict) and "key_env" in value) else f" (got {value!r})"
