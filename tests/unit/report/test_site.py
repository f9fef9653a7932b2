"""A machine without SLURM, one with its programs but no cluster, and one where a cluster answers."""

from pathlib import Path

import pytest

from tirec.config.study import Study
from tirec.report.plan.site import _interpreter, check_cluster, no_cluster


def with_sinfo(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str | None) -> None:
    monkeypatch.setenv("PATH", f"{folder}")
    if script is not None:
        (folder / "sinfo").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "sinfo").chmod(0o755)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (None, "no SLURM on this machine"),
        (
            'echo "sinfo: fatal: Could not establish a configuration source" >&2; exit 1',
            "no SLURM answers here (sinfo: fatal: Could not establish a configuration source)",
        ),
        ("exit 1", "no SLURM answers here"),
        ("exit 0", ""),
    ],
)
def test_where_no_cluster_is_reached_it_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str | None, told: str
) -> None:
    with_sinfo(monkeypatch, tmp_path, script)
    assert no_cluster() == told
    if told:
        (verdict,) = check_cluster([])
        assert (verdict.passed, verdict.told) == (False, f"{told}; `--profile local` trains here")


def test_an_interpreter_that_is_not_there_is_missing_and_no_fault() -> None:
    verdict = _interpreter(Study(), ".venv-gpu/bin/python")
    assert verdict.line.startswith(
        "MISSING  environment: .venv-gpu/bin/python: No such file or directory (make gpu-env"
    )
