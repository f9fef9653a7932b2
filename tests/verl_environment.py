"""Where the verl environment is, for tests that need it: `.venv-verl/` of the checkout, or TIREC_VERL_PYTHON."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def verl_python() -> str:
    """The interpreter that has verl. Without one the test is skipped, or fails where TIREC_REQUIRE_VERL is set."""
    found = Path(os.environ.get("TIREC_VERL_PYTHON", ROOT / ".venv-verl" / "bin" / "python"))
    if found.is_file():
        return str(found)
    told = f"{found}: no verl environment here; `make verl-env` makes it, or set TIREC_VERL_PYTHON"
    if os.environ.get("TIREC_REQUIRE_VERL"):
        pytest.fail(told)
    pytest.skip(told)


def environment(**changes: str) -> dict[str, str]:
    """The test's environment for a process of that interpreter; Ray's workers wait behind no other test."""
    fair = {"RAY_worker_niceness": "0"}
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "WANDB_MODE": "disabled", "OMP_NUM_THREADS": "1"}
    return {**os.environ, **fair, **offline, "PYTHONPATH": str(ROOT / "workflow"), **changes}


def run(*words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Runs that interpreter in the checkout and gives what it printed, both streams together."""
    return subprocess.run(
        [verl_python(), *words],
        cwd=ROOT,
        env=environment(**changes),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
