"""The frozen base of every configuration model."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from tirec.errors import ConfigError


class Model(BaseModel):
    """A frozen configuration section: unknown keys are errors, the string under a field is its documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=())


Settings = TypeVar("Settings", bound=Model)


def validated(model: type[Settings], content: object) -> Settings:
    """`content` as a `model`; raises ConfigError with one line that names the key."""
    try:
        return model.model_validate(content)
    except ValidationError as fault:
        first = fault.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "settings"
        raise ConfigError(f"{where}: {first['msg'].lower()}{got(first)}") from None


def got(error: ErrorDetails) -> str:
    """What was given instead, for an error line; not where somebody may have pasted a key in place of its name."""
    value = error.get("input")
    return "" if "key_env" in error["loc"] or (isinstance(value, dict) and "key_env" in value) else f" (got {value!r})"
