"""docs/data.md names every key of records, cohort and evidence, so that a new one cannot go unexplained."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from tirec.config.cohort import CohortConfig
from tirec.config.data import DataConfig
from tirec.config.evidence import EvidenceConfig

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "data.md").read_text(encoding="utf-8")


def keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        key = prefix + (field.alias or name)
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from keys(kind, key + ".")
        else:
            yield key


ALL = [key for model in (DataConfig, CohortConfig, EvidenceConfig) for key in keys(model)]


@pytest.mark.parametrize("key", ALL)
def test_every_key_is_explained(key: str) -> None:
    names = {key, key.rsplit(".", 1)[-1], key.partition(".")[2], f"cohort.{key}"}
    assert any(f"`{name}`" in PAGE for name in names if name), key


@pytest.mark.parametrize("model", [DataConfig, CohortConfig, EvidenceConfig])
def test_every_alternative_is_named(model: type[BaseModel]) -> None:
    for value in _choices(model.model_json_schema()):
        assert f"`{value}`" in PAGE or f"{value}`" in PAGE, value


def _choices(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from (value for value in schema.get("enum", ()) if isinstance(value, str))
        for part in schema.values():
            yield from _choices(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _choices(part)
