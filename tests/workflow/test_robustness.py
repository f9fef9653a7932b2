"""Sensitivity and leak suite through Snakemake: planned whole, and one piece of each for real."""

from pathlib import Path

import polars as pl
import pytest
from workflow_runs import copy_of_checkout, planned, small_study

from tirec.analysis.decisions import DECISIONS

pytestmark = pytest.mark.slow

ALTERNATIVE = "results/sensitivity/cutoff=decision/revisit/scores.tsv"
PROBE = "results/leak_suite/revisit/future.tsv"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_checkout(tmp_path_factory.mktemp("checkout"))


def test_every_alternative_is_one_job_of_a_task_it_can_change(checkout: Path, tmp_path: Path) -> None:
    plan = small_study(checkout, tmp_path, "-n", "results/sensitivity.html", "results/leak_suite.html")
    assert plan.returncode == 0, plan.stdout
    jobs = planned(plan.stdout)
    assert jobs["fit_alternative"] == sum((len(found.values) - 1) * len(found.tasks) for found in DECISIONS)
    assert jobs["probe_leaks"] == 3
    assert jobs["train_teacher"] == 3


def test_one_alternative_and_one_probe_for_real(checkout: Path, tmp_path: Path) -> None:
    run = small_study(checkout, tmp_path, ALTERNATIVE, PROBE)
    assert run.returncode == 0, run.stdout
    scores = pl.read_csv(tmp_path / ALTERNATIVE, separator="\t")
    assert scores["setting"].to_list() == ["3d", "7d", "14d", "mean"]
    assert scores["auroc_validation"].is_between(0, 1).all()
    future = pl.read_csv(tmp_path / PROBE, separator="\t")
    assert future["cells"].sum() > 10_000
    assert future["differing"].sum() == 0
    again = small_study(checkout, tmp_path, "-n", ALTERNATIVE, PROBE)
    assert planned(again.stdout) == {}
