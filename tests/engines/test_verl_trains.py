"""verl's own trainer on CPUs, through the script a study calls: killed, stopped, resumed, its policies used."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import tiny_policy as tiny
import torch
import verl_environment
import verl_study

from tirec.config.cohort import TASKS
from tirec.config.evaluation import PredictionConfig
from tirec.training.history import COLUMNS

pytestmark = pytest.mark.slow
STEPS = verl_study.SETTINGS.steps
PATIENCE_S = 1200


def started(study: Path, place: Path, log: Path) -> subprocess.Popen:
    """A trainer in a process group of its own, with Ray's processes."""
    words = [verl_environment.verl_python(), *verl_study.arguments(study, place)]
    with log.open("a") as handle:
        return subprocess.Popen(
            words,
            cwd=verl_environment.ROOT,
            env=verl_environment.environment(),
            start_new_session=True,
            stdout=handle,
            stderr=subprocess.STDOUT,
        )


def wait_for(process: subprocess.Popen, condition) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and not condition():
        assert time.monotonic() < deadline, "the trainer did not come so far"
        time.sleep(0.2)


def steps_done(place: Path) -> int:
    """The step of the last state, 0 before the first."""
    states = list(place.glob("runs/full/seed0/*/checkpoint.pt"))
    return int(torch.load(states[0], weights_only=True)["history"][-1]["step"]) if states else 0


def processes_of(group: int) -> list[str]:
    """Living processes of a session, Ray's among them."""
    listed = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(group)], check=False, capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if " Z" not in line]


@pytest.fixture(scope="module")
def groups():
    """The process groups that were started; whatever goes wrong, none of them is left behind."""
    found: list[int] = []
    yield found
    for group in found:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


@pytest.fixture(scope="module")
def run(tmp_path_factory, groups):
    """A run that was killed without warning after its first checkpoint, then asked to stop, then finished."""
    study, place = verl_study.make(tmp_path_factory.mktemp("study")), tmp_path_factory.mktemp("place")
    logs = [place / f"log{attempt}" for attempt in range(3)]
    killed = started(study, place, logs[0])
    groups.append(killed.pid)
    wait_for(killed, lambda: steps_done(place) >= 1)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    kept = steps_done(place)
    wait_for_end_of(killed.pid)
    stopped = started(study, place, logs[1])
    groups.append(stopped.pid)
    wait_for(stopped, lambda: "Training Progress" in logs[1].read_text())
    stopped.send_signal(signal.SIGTERM)
    codes = [stopped.wait(PATIENCE_S)]
    asked = steps_done(place)
    last = started(study, place, logs[2])
    groups.append(last.pid)
    codes.append(last.wait(PATIENCE_S))
    return {"place": place, "kept": kept, "asked": asked, "codes": codes, "logs": [log.read_text() for log in logs]}


def wait_for_end_of(group: int) -> None:
    """Ray's processes notice that their driver is gone."""
    deadline = time.monotonic() + 60
    while processes_of(group) and time.monotonic() < deadline:
        time.sleep(0.5)
    if processes_of(group):
        os.killpg(group, signal.SIGKILL)


def test_it_ends_with_every_step_once(run):
    assert run["codes"][1] == 0, run["logs"][2][-4000:]
    history = pl.read_csv(run["place"] / "policy" / "history.tsv", separator="\t", infer_schema_length=None)
    assert tuple(history.columns) == COLUMNS
    assert history["step"].to_list() == list(range(STEPS + 1))
    trained = history.filter(pl.col("step") > 0)
    measured = trained.select("reward", "reward_std", "loss", "kl", "entropy", "grad_norm", "calls")
    assert not any(measured.null_count().row(0))
    assert trained["retention"].to_list() == [1.0] * STEPS
    for task in TASKS:
        validated = history.filter(pl.col(f"val_{task}_calls").is_not_null())["step"].to_list()
        assert validated == [0, *range(2, STEPS + 1, 2)]


def test_a_kill_loses_only_the_steps_since_the_last_state(run):
    assert run["kept"] == 2
    assert "setting global step to 2" in run["logs"][1]


def test_asked_to_stop_it_saves_between_checkpoints_says_so_and_continues(run):
    assert run["codes"][0] == 2, run["logs"][1][-4000:]
    assert "stopped on request after step 3; the same command continues" in run["logs"][1]
    assert run["asked"] == 3
    assert "setting global step to 3" in run["logs"][2]


def test_what_is_left_is_the_selected_weights_and_no_scratch(run):
    kept = {json.loads((run["place"] / "policy" / task / "policy.json").read_text())["selected_step"] for task in TASKS}
    (folder,) = run["place"].glob("runs/full/seed0/*")
    assert {int(path.name) for path in (folder / "weights").iterdir()} == {*kept, STEPS}
    assert not (folder / "scratch").exists()
    assert not (folder / "checkpoint.pt").exists()


def test_a_policy_of_verl_predicts_like_any_other(run, tmp_path):
    """With the environment of CPU stages, without verl."""
    tiny.write_cases(tmp_path / "test.arrow", "test", 4)
    config = PredictionConfig(protocol=tiny.RULES)
    words = [
        sys.executable,
        "scripts/predict_policy.py",
        "--model",
        "full.seed0",
        "--settings",
        config.model_dump_json(),
    ]
    words += ["--policies", *(str(run["place"] / "policy" / task / "policy.json") for task in TASKS)]
    words += ["--episodes", str(tmp_path / "test.arrow"), "--data-class", "synthetic"]
    words += ["--predictions", str(tmp_path / "p"), "--trajectories", str(tmp_path / "t")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        words, cwd=verl_environment.ROOT, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert pl.read_parquet(tmp_path / "p" / "test.parquet").height == 4 * len(TASKS)
