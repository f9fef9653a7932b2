"""The frozen base of every configuration model."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A frozen configuration section: unknown keys are errors, the string under a field is its documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=())
