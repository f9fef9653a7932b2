"""The check of a GPU node, which runs the study's own rules: its verdicts here, and a policy that verl trained."""

import json
import re
import subprocess
import sys

import polars as pl
import pytest
import verl_environment
import yaml

from tirec.training.history import COLUMNS

LINE = re.compile(r"^(ok|failed|not run) +(.+?)  +(\d+) s  (.*)$")


def verdicts(printed: str) -> dict[str, tuple[str, str]]:
    """Verdict and reason of each layer."""
    found = [LINE.match(line) for line in printed.splitlines()]
    return {match[2]: (match[1], match[4]) for match in found if match}


def test_without_a_gpu_it_says_so_and_runs_nothing(tmp_path):
    words = [sys.executable, "scripts/check_gpu.py", "--directory", str(tmp_path / "check")]
    done = subprocess.run(
        words,
        cwd=verl_environment.ROOT,
        env={**verl_environment.environment(), "CUDA_VISIBLE_DEVICES": ""},
        check=False,
        capture_output=True,
        text=True,
    )
    told = verdicts(done.stdout)
    assert done.returncode == 1
    assert told["GPU"][0] == "failed"
    assert "sees no GPU" in told["GPU"][1]
    layers = ("vLLM, token in and token out", "verl, two steps", "converted checkpoint")
    assert {told[layer] for layer in layers} == {("not run", "no GPU")}
    assert len(told) == 5
    assert not (tmp_path / "check").exists()


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The check without a GPU, trained by verl on CPUs; its folder is a study's."""
    folder = tmp_path_factory.mktemp("check")
    done = verl_environment.run(
        *("scripts/check_gpu.py", "--on-cpu", "--cpu-python", sys.executable, "--directory", str(folder))
    )
    return folder, verdicts(done.stdout), done.stdout


@pytest.mark.slow
def test_the_same_rule_trains_by_verl_by_configuration_alone(checked):
    folder, told, printed = checked
    log = folder / "gpu_check.log"
    assert told["verl, two steps"][0] == "ok", log.read_text()[-4000:] if log.exists() else printed
    trained = folder / "results" / "policies" / "full" / "seed0"
    history = pl.read_csv(trained / "history.tsv", separator="\t", infer_schema_length=None)
    assert tuple(history.columns) == COLUMNS
    assert history["step"].to_list() == [0, 1, 2]
    assert history["calls"].drop_nulls().max() > 0  # real tool turns
    settings = yaml.safe_load((trained / "config.yaml").read_text())
    assert settings["engine"] == "verl"
    assert "local" not in settings


@pytest.mark.slow
def test_its_policies_predict_in_the_environment_of_cpu_stages(checked):
    folder, told, _ = checked
    assert told["converted checkpoint"][0] == "ok"
    predictions = pl.read_parquet(folder / "results" / "predictions" / "full.seed0" / "validation.parquet")
    assert predictions["p"].drop_nulls().is_between(0, 1).all()
    assert predictions["finish"].is_in(["answered"]).any()
    for task in ("disposition", "decompensation", "revisit"):
        policy = json.loads((folder / "results/policies/full/seed0" / task / "policy.json").read_text())
        assert policy["selected_step"] in (1, 2)
        assert policy["data_class"] == "synthetic"
