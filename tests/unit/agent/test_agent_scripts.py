"""The scripts of the agent's stages, run as a user runs them."""

import subprocess
import sys

import polars as pl
import pytest
from agent_cases import FUNCTIONS, ROOT, answers, asks, played, toy_case

from tirec.agent import trajectories
from tirec.agent.cases import write
from tirec.agent.trajectories import Trajectory


def run(script, *arguments):
    command = [sys.executable, str(ROOT / "scripts" / f"{script}.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_skills_and_schedule(tmp_path):
    assert (
        run("collect_skills", "--skills", ROOT / "config" / "skills", "--output-dir", tmp_path / "skills").returncode
        == 0
    )
    (tmp_path / "sampled").mkdir()
    for number, task in enumerate(("disposition", "decompensation", "revisit")):
        ids = range(100 * number, 100 * number + 30)
        frame = pl.DataFrame({"instance_id": ids, "role": ["train"] * 20 + ["test"] * 10})
        frame.write_parquet(tmp_path / "sampled" / f"{task}.parquet")
    settings = '{"steps": 9, "prompts_per_step": 8, "skills": {"retention": "off"}}'
    given = ("--results", tmp_path, "--seed", 3, "--output", tmp_path / "schedule.parquet", "--settings", settings)
    assert run("build_schedule", *given).returncode == 0
    schedule = pl.read_parquet(tmp_path / "schedule.parquet")
    assert (schedule.height, schedule["instance_id"].n_unique(), schedule["kept"].sum()) == (72, 60, 0)
    assert (schedule["instance_id"] % 100).max() < 20
    missing = run("build_schedule", "--results", tmp_path / "none", "--seed", 0, "--output", tmp_path / "x.parquet")
    assert missing.returncode == 2
    assert missing.stderr.startswith("error: ") and missing.stderr.count("\n") == 1


def write_cases(path):
    case = toy_case()
    columns = {name: [getattr(case, name)] for name in ("instance_id", "task", "setting", "cutoff_s", "split", "label")}
    texts = {name: [case.texts[name]] for name in FUNCTIONS}
    rows = {f"rows__{name}": [list(case.rows[name])] for name in FUNCTIONS}
    head = {"half": [None], "risk": [case.risk], "reference": [list(case.reference)], "view": [case.view]}
    schema = {"half": pl.String, **{name: pl.List(pl.Int64) for name in rows}}
    frame = pl.DataFrame({**columns, **head, **texts, **rows}, schema_overrides=schema)
    write([frame], path)


def test_showing_and_scoring(tmp_path):
    write_cases(tmp_path / "train.arrow")
    shown = run("show_episode", "--instance", 7, "--episodes", tmp_path / "train.arrow", "--calls", "labs, orders")
    assert shown.returncode == 0 and "[end] answered, p = 0.5" in shown.stdout
    assert "[user]\n<tool_response>\nlabs: NORMAL, steady: 1\n" in shown.stdout
    saved = Trajectory("m", "train", 7, "disposition", "2h", (), played(*asks("labs", "orders"), answers("0.5")))
    trajectories.write([saved], tmp_path / "train.jsonl.zst")
    files = ("--trajectories", tmp_path / "train.jsonl.zst", "--episodes", tmp_path / "train.arrow")
    scored = run("score_trajectories", *files, "--config", '{"alpha": 1.0}', "--output", tmp_path / "scores.tsv")
    assert scored.returncode == 0, scored.stderr
    row = pl.read_csv(tmp_path / "scores.tsv", separator="\t").row(0, named=True)
    assert (row["prediction"], row["match"], round(row["total"], 3)) == (0.7, 1.0, 0.76)


def test_what_an_instance_shows_is_found_in_the_results(tmp_path):
    write_cases(tmp_path / "results" / "episodes" / "validation.arrow")
    whole = show(tmp_path, "--instance", 7)
    assert whole.returncode == 0, whole.stderr
    assert "calls: labs: ok (2 source rows), orders: ok (2 source rows)\n" in whole.stdout
    assert "You may make at most 12 calls." in whole.stdout
    assert whole.stderr.startswith("note: a scripted episode, no model's: it asks for labs, orders and answers 0.5;")
    demo = show(tmp_path, "--instance", 7, "--configfile", ROOT / "config" / "demo.yaml")
    assert "task disposition 2h" in demo.stdout


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("--instance", 8), "no case of instance 8 in results/episodes/test.arrow; the 1 sampled ones run from 7 to 7"),
        (("--instance", 7, "--calls", "heart_rat"), "--calls: no function 'heart_rat'; did you mean heart_rate?"),
        (("--instance", 7, "--calls", "labs,ecg"), "--calls: no function 'ecg'; there are demographics, triage, "),
        (("--instance", 7, "--results", "other"), "other/episodes: no episodes there yet; name a folder by --results"),
        (("--instance", 7, "--episodes", "x.arrow"), "x.arrow: no such file of cases"),
        (("--instance", 7, "--configfile", "x.yaml"), "x.yaml: no such configuration file"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(tmp_path, arguments, said):
    write_cases(tmp_path / "results" / "episodes" / "test.arrow")
    failed = show(tmp_path, *arguments)
    assert (failed.returncode, failed.stdout, failed.stderr.count("\n")) == (2, "", 1)
    assert failed.stderr.startswith(f"error: {said}")


def show(folder, *arguments):
    """show_episode as a user runs it in `folder`."""
    command = [sys.executable, str(ROOT / "scripts" / "show_episode.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
