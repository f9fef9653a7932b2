"""vLLM reads a policy as plain PyTorch does: the same episodes, token by token; needs TIREC_VLLM_PYTHON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import tiny_policy as tiny

from tirec.agent import trajectories
from tirec.policy.base import build_tiny

ROOT = Path(__file__).resolve().parents[2]
CASES = 18


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A warm-started policy and cases it has not met."""
    folder = tmp_path_factory.mktemp("study")
    train = tiny.write_cases(folder / "train.arrow", "train", CASES)
    tiny.write_cases(folder / "test.arrow", "test", CASES)
    build_tiny(tiny.BASE, train, tiny.RULES, "synthetic", folder / "base")
    return folder


def predicted(study: Path, python: str, engine: str) -> tuple[pl.DataFrame, list]:
    """Predictions and trajectories of the policy, read by `engine` in the environment of `python`."""
    settings = {
        "protocol": tiny.RULES.model_dump(mode="json"),
        "engine": engine,
        "vllm": {"eager": True, "gpu_memory": 0.2},
    }
    options = {
        "model": "base.seed0",
        "episodes": study / "test.arrow",
        "predictions": study / engine / "predictions",
        "trajectories": study / engine / "trajectories",
        "settings": json.dumps(settings),
        "data-class": "synthetic",
    }
    listed = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    policies = [str(path) for path in sorted((study / "base").glob("*/policy.json"))]
    command = [python, str(ROOT / "scripts" / "predict_policy.py"), *listed, "--policies", *policies]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "workflow"),
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
    }
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    played = trajectories.read(study / engine / "trajectories" / "test.jsonl.zst")
    return pl.read_parquet(study / engine / "predictions" / "test.parquet"), list(played)


@pytest.mark.vllm
def test_both_engines_play_the_same_episodes(study):
    ours, plain = predicted(study, sys.executable, "hf")
    theirs, served = predicted(study, os.environ["TIREC_VLLM_PYTHON"], "vllm")
    assert len(ours) == 3 * CASES
    assert theirs.equals(ours)
    assert served == plain
