"""A trainer of LA-CDM killed in the middle of its phases ends with the bytes of one that was left alone."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cdm_policy as tiny
import polars as pl
import pytest

from tirec.config.lacdm_training import compose_cdm
from tirec.config.policy import LoraConfig
from tirec.lacdm.base import build_tiny

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = compose_cdm(
    "full",
    {
        "steps": 9,
        "patients_per_step": 2,
        "group_size": 3,
        "checkpoint_every": 3,
        "loss_tokens": None,
        "selection": "mean_accuracy",
        "phases": {"decision": 2, "hypothesis": 1, "confidence": 1},
        "optimizer": {"learning_rate": 1e-3, "minibatches": 2},
        "local": {"device": "cpu", "dtype": "float32", "micro_batch": 8, "gradient_checkpointing": False},
    },
)
ADAPTED = SETTINGS.model_copy(update={"lora": LoraConfig(rank=4, alpha=8, dropout=0.1)})


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Cases and a warm-started base."""
    folder = tmp_path_factory.mktemp("study")
    train = tiny.write_cases(folder / "train.arrow", "train", 24)
    tiny.write_cases(folder / "validation.arrow", "validation", 8)
    build_tiny(tiny.BASE, train, tiny.RULES, "synthetic", folder / "base")
    return folder


def start(study: Path, place: Path, settings) -> subprocess.Popen:
    options = {
        "train": study / "train.arrow",
        "validation": study / "validation.arrow",
        "base": study / "base" / "policy.json",
        "settings": settings.model_dump_json(),
        "rules": tiny.RULES.model_dump_json(),
        "run-root": place / "runs",
        "output-dir": place / "policy",
        "data-class": "synthetic",
    }
    listed = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    command = [sys.executable, str(ROOT / "scripts" / "train_lacdm.py"), *listed]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def finish(study: Path, place: Path, settings) -> None:
    process = start(study, place, settings)
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 0, said


def outcome(place: Path) -> dict[str, bytes]:
    files = [path for path in (place / "policy").rglob("*") if path.is_file() and ".provenance." not in path.name]
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


@pytest.mark.slow
@pytest.mark.parametrize("settings", [SETTINGS, ADAPTED], ids=["all weights", "adapters"])
def test_killed_between_checkpoints_it_ends_with_the_same_bytes(study, tmp_path, settings):
    finish(study, tmp_path / "undisturbed", settings)
    killed = tmp_path / "killed"
    process = start(study, killed, settings)
    while process.poll() is None and not list(killed.glob("runs/full/seed0/*/checkpoint.pt")):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finish(study, killed, settings)
    found = outcome(killed)
    assert found == outcome(tmp_path / "undisturbed")
    assert {"policy/policy.json", "policy/model/model.safetensors", "policy/history.tsv"} <= set(found)
    history = pl.read_csv(killed / "policy" / "history.tsv", separator="\t", infer_schema_length=None)
    assert history["phase"].to_list() == [None, 0, 0, 1, 2, 0, 0, 1, 2, 0]
