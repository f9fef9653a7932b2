"""A trainer killed at random moments ends with the history and weights of one that was left alone, bit for bit."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import tiny_policy as tiny

from tirec.agent.skills import schedule
from tirec.config.training import TrainingConfig
from tirec.policy.base import build_tiny

ROOT = Path(__file__).resolve().parents[2]
STEPS = 12
SETTINGS = TrainingConfig(
    steps=STEPS,
    prompts_per_step=3,
    group_size=4,
    checkpoint_every=3,
    optimizer={"learning_rate": 1e-3, "minibatches": 2, "ramp_steps": 2, "final_share": 0.2},
    objective={"kl": 0.01, "entropy": 0.01},
    local={"device": "cpu", "micro_batch": 8},
)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Cases, skills, schedule and a warm-started base."""
    folder = tmp_path_factory.mktemp("study")
    train = tiny.write_cases(folder / "train.arrow", "train", 12)
    tiny.write_cases(folder / "validation.arrow", "validation", 12)
    build_tiny(tiny.BASE, train, tiny.RULES, "synthetic", folder / "base")
    (folder / "skills").mkdir()
    for task in ("disposition", "decompensation", "revisit"):
        text = "text\tgroup\n" + ("" if task == "revisit" else "check labs .\tselection\n")
        (folder / "skills" / f"{task}.tsv").write_text(text)
    sentences = {"disposition": 1, "decompensation": 1, "revisit": 0}
    plan = schedule(train.frame, sentences, 0, STEPS, SETTINGS.prompts_per_step, SETTINGS.skills)
    plan.write_parquet(folder / "schedule.parquet")
    return folder


def command(study: Path, place: Path) -> list[str]:
    options = {
        "train": study / "train.arrow",
        "validation": study / "validation.arrow",
        "schedule": study / "schedule.parquet",
        "skills-dir": study / "skills",
        "base": study / "base",
        "settings": SETTINGS.model_dump_json(),
        "protocol": tiny.RULES.model_dump_json(),
        "seed": 0,
        "run-root": place / "runs",
        "output-dir": place / "policy",
        "data-class": "synthetic",
    }
    listed = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    return [sys.executable, str(ROOT / "scripts" / "train_policy.py"), *listed]


def start(study: Path, place: Path) -> subprocess.Popen:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.Popen(command(study, place), env=environment, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def finish(study: Path, place: Path) -> str:
    process = start(study, place)
    said = process.communicate(timeout=600)[1]
    assert process.returncode == 0, said
    return said


def outcome(place: Path) -> dict[str, bytes]:
    """Every byte that a run leaves for others, provenance apart."""
    files = [path for path in (place / "policy").rglob("*") if path.is_file() and ".provenance." not in path.name]
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def undisturbed(study, tmp_path_factory):
    place = tmp_path_factory.mktemp("undisturbed")
    finish(study, place)
    return place


@pytest.fixture(scope="module")
def loop_seconds(study, tmp_path_factory) -> float:
    """How long this machine takes from the first sign of life to the end."""
    place = tmp_path_factory.mktemp("timed")
    process = start(study, place)
    wait_for_life(place, process, 0)
    began = time.monotonic()
    process.communicate(timeout=600)
    return time.monotonic() - began


def wait_for_life(place: Path, process: subprocess.Popen, seconds: float) -> None:
    """Lets the trainer reach its loop, then run on for a while."""
    while process.poll() is None and not list(place.glob("runs/full/seed0/*/lock")):
        time.sleep(0.05)
    time.sleep(seconds)


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_with_the_same_bytes(study, undisturbed, loop_seconds, tmp_path):
    draw = random.Random(0)
    kills = 0
    while kills < 5:
        process = start(study, tmp_path)
        wait_for_life(tmp_path, process, draw.uniform(0.05, 0.6) * loop_seconds)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
    finish(study, tmp_path)
    assert kills
    assert outcome(tmp_path) == outcome(undisturbed)


@pytest.mark.slow
def test_asked_to_stop_it_saves_says_so_and_continues(study, undisturbed, tmp_path):
    process = start(study, tmp_path)
    wait_for_life(tmp_path, process, 0)
    while process.poll() is None and not list(tmp_path.glob("runs/full/seed0/*/checkpoint.pt")):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 2
    assert "the same command continues" in said
    finish(study, tmp_path)
    assert outcome(tmp_path) == outcome(undisturbed)


@pytest.mark.slow
def test_a_second_trainer_is_refused_while_the_first_lives(study, tmp_path):
    first = start(study, tmp_path)
    try:
        wait_for_life(tmp_path, first, 0)
        first.send_signal(signal.SIGSTOP)  # alive, and it cannot finish before the second asks
        second = start(study, tmp_path)
        said = second.communicate(timeout=120)[1]
        assert second.returncode == 2
        assert f"process {first.pid} " in said
    finally:
        first.kill()
        first.communicate()


@pytest.mark.slow
def test_a_finished_run_takes_no_step_again(study, undisturbed):
    before = outcome(undisturbed)
    for path in (undisturbed / "policy").rglob("policy.json"):
        path.unlink()
    said = finish(study, undisturbed)
    assert "full:" not in said  # no progress bar: no engine was made
    assert outcome(undisturbed) == before


@pytest.mark.slow
def test_what_is_left_says_which_steps_were_kept(undisturbed):
    history = pl.read_csv(undisturbed / "policy" / "history.tsv", separator="\t", infer_schema_length=None)
    assert history["step"].to_list() == list(range(STEPS + 1))
    validated = history.filter(pl.col("val_revisit_calls").is_not_null())["step"].to_list()
    assert validated == [0, 3, 6, 9, 12]
    kept = {}
    for task in ("disposition", "decompensation", "revisit"):
        told = json.loads((undisturbed / "policy" / task / "policy.json").read_text())
        kept[task] = told["selected_step"]
        assert (undisturbed / "policy" / task / told["weights"] / "model.safetensors").is_file()
    folders = [path.name for path in undisturbed.glob("runs/full/seed0/*/weights/*")]
    assert {int(name) for name in folders} == {*kept.values(), STEPS}
