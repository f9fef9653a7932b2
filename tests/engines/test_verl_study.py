"""verl's own trainer on CPUs in a real study: by the study's rule, killed, stopped, resumed, and its policies used.

One study of the GPU check goes through it all, because a start of verl costs more than its steps.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import torch
import verl_environment
import yaml

from tirec.config.cohort import TASKS
from tirec.config.study import Study
from tirec.config.training import TrainingConfig, compose
from tirec.training.history import COLUMNS

ROOT = verl_environment.ROOT
OVERLAYS = [ROOT / "config" / "gpu_check.yaml", ROOT / "config" / "verl_cpu.yaml"]
STUDY = Study.read(OVERLAYS)
SETTINGS = compose("full", STUDY.training.overrides).model_copy(update={"engine": "verl"})
PATIENCE_S = 1200
LINE = re.compile(r"^(ok|failed|not run) +(.+?)  +(\d+) s  (.*)$")


def verdicts(printed: str) -> dict[str, tuple[str, str]]:
    """Verdict and reason of each layer."""
    found = [LINE.match(line) for line in printed.splitlines()]
    return {match[2]: (match[1], match[4]) for match in found if match}


def test_without_a_gpu_it_says_so_and_runs_nothing(tmp_path: Path) -> None:
    words = [sys.executable, "scripts/check_gpu.py", "--directory", str(tmp_path / "check")]
    told = {**verl_environment.environment(), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(words, cwd=ROOT, env=told, check=False, capture_output=True, text=True)
    found = verdicts(done.stdout)
    assert done.returncode == 1
    assert found["GPU"][0] == "failed"
    assert "sees no GPU" in found["GPU"][1]
    layers = ("vLLM, token in and token out", "verl, a few steps", "converted checkpoint")
    assert {found[layer] for layer in layers} == {("not run", "no GPU")}
    assert len(found) == 5
    assert not (tmp_path / "check").exists()


class Attempts:
    """Everything that is started here, each in a session of its own; nothing is left behind."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, log: Path, *words: str, cwd: Path = ROOT) -> subprocess.Popen[bytes]:
        with log.open("ab") as handle:
            process = subprocess.Popen(
                [verl_environment.verl_python(), *words],
                cwd=cwd,
                env=verl_environment.environment(),
                start_new_session=True,
                stdout=handle,
                stderr=subprocess.STDOUT,
            )
        self.started.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Without warning, with all that belongs to it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(process: subprocess.Popen[bytes], condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and not condition():
        assert time.monotonic() < deadline, "it did not come so far"
        time.sleep(0.2)


def steps_done(study: Path) -> int:
    """The step of the last state, 0 before the first."""
    states = list(study.glob("results/.runs/full/seed0/*/checkpoint.pt"))
    return int(torch.load(states[0], weights_only=True)["history"][-1]["step"]) if states else 0


def check(study: Path) -> list[str]:
    """The command of the GPU check without a GPU."""
    return ["scripts/check_gpu.py", "--on-cpu", "--cpu-python", sys.executable, "--directory", str(study)]


def train_policy(settings: TrainingConfig) -> list[str]:
    """The command of the rule, as a user may give it in the study's directory."""
    results = "results"
    options = {
        "train": f"{results}/episodes/train.arrow",
        "validation": f"{results}/episodes/validation.arrow",
        "schedule": f"{results}/policies/full/seed0/schedule.parquet",
        "skills-dir": f"{results}/skills",
        "base": f"{results}/policies/base/seed0",
        "settings": json.dumps(settings.told()),
        "protocol": STUDY.protocol.model_dump_json(),
        "seed": "0",
        "run-root": f"{results}/.runs",
        "output-dir": f"{results}/policies/full/seed0",
        "data-class": "synthetic",
    }
    script = str(ROOT / "scripts" / "train_policy.py")
    return [script, *(part for name, value in options.items() for part in (f"--{name}", value))]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """By the rule until its first checkpoint, then killed; by the script, asked to stop; by the rule to the end."""
    study, attempts = tmp_path_factory.mktemp("study"), Attempts()
    logs = [study / name for name in ("check.log", "stopped.log")]
    try:
        first = attempts.start(logs[0], *check(study))
        wait_for(first, lambda: steps_done(study) >= 1)
        attempts.kill(first)
        killed_at = steps_done(study)
        second = attempts.start(logs[1], *train_policy(SETTINGS), cwd=study)
        wait_for(second, lambda: "Training Progress" in logs[1].read_text())
        second.send_signal(signal.SIGTERM)
        code = second.wait(PATIENCE_S)
        stopped_at = steps_done(study)
        unlock = [sys.executable, "-m", "snakemake", "--configfile", *map(str, OVERLAYS), "--directory", str(study)]
        subprocess.run([*unlock, "--unlock"], cwd=ROOT, check=False, capture_output=True)
        attempts.start(logs[0], *check(study)).wait(PATIENCE_S)
    finally:
        for process in attempts.started:
            attempts.kill(process)
    said = {"rule": logs[0].read_text() + (study / "gpu_check.log").read_text(), "script": logs[1].read_text()}
    return {"study": study, "killed": killed_at, "code": code, "stopped": stopped_at, **said}


@pytest.mark.slow
def test_the_rule_trains_by_verl_by_configuration_alone(finished):
    assert verdicts(finished["rule"])["verl, a few steps"][0] == "ok", finished["rule"][-4000:]
    trained = finished["study"] / "results" / "policies" / "full" / "seed0"
    settings = yaml.safe_load((trained / "config.yaml").read_text())
    assert settings["engine"] == "verl"
    assert "local" not in settings
    history = pl.read_csv(trained / "history.tsv", separator="\t", infer_schema_length=None)
    assert tuple(history.columns) == COLUMNS
    assert history["step"].to_list() == list(range(SETTINGS.steps + 1))
    steps = history.filter(pl.col("step") > 0)
    assert steps["calls"].max() > 0  # real tool turns
    measured = steps.select("reward", "reward_std", "loss", "kl", "entropy", "grad_norm", "tokens")
    assert not any(measured.null_count().row(0))
    for task in TASKS:
        validated = history.filter(pl.col(f"val_{task}_calls").is_not_null())["step"].to_list()
        assert validated == [0, 2, 4]


@pytest.mark.slow
def test_a_kill_loses_only_the_steps_since_the_last_checkpoint(finished):
    assert finished["killed"] == 2
    assert "setting global step to 2" in finished["script"]


@pytest.mark.slow
def test_asked_to_stop_it_saves_between_checkpoints_says_so_and_continues(finished):
    assert finished["code"] == 2, finished["script"][-4000:]
    assert "stopped on request after step 3; the same command continues" in finished["script"]
    assert finished["stopped"] == 3


@pytest.mark.slow
def test_what_is_left_is_the_selected_weights_and_no_scratch(finished):
    results = finished["study"] / "results"
    told = [json.loads((results / "policies/full/seed0" / task / "policy.json").read_text()) for task in TASKS]
    (run,) = (results / ".runs" / "full" / "seed0").iterdir()
    assert {int(path.name) for path in (run / "weights").iterdir()} == {4, *(one["selected_step"] for one in told)}
    assert {one["fingerprint"] for one in told} == {run.name}
    assert sorted(path.name for path in run.iterdir()) == ["done.json", "weights"]


@pytest.mark.slow
def test_its_policies_predict_in_the_environment_of_cpu_stages(finished):
    assert verdicts(finished["rule"])["converted checkpoint"][0] == "ok"
    predictions = pl.read_parquet(finished["study"] / "results/predictions/full.seed0/validation.parquet")
    assert predictions["p"].drop_nulls().is_between(0, 1).all()
    assert predictions["finish"].is_in(["answered"]).any()
