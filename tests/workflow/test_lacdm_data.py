"""LA-CDM's data half through the real Snakemake: what it writes, what a change reruns, and a study without MC-MED."""

import subprocess
from pathlib import Path

import polars as pl
import pytest
from workflow_runs import copy_of_checkout, planned, snakemake

from tirec.lacdm.predictions import PREDICTIONS

pytestmark = pytest.mark.slow

MODELS = ("prevalence", "availability_only", "sm_ddpo")
PREDICTED = [f"results/lacdm/predictions/{model}/test.parquet" for model in MODELS]
PAGE = "results/lacdm/audit/index.html"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_checkout(tmp_path_factory.mktemp("checkout"))


def study(checkout: Path, directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    run = ("--configfile", "tests/data/small_lacdm.yaml", "--directory", str(directory), "--cores", "2")
    return snakemake(checkout, *run, *arguments)


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("study")
    run = study(checkout, directory, PAGE, *PREDICTED)
    assert run.returncode == 0, run.stdout
    return directory


def test_the_page_and_the_predictions(finished: Path) -> None:
    assert "Audit of MIMIC-CDM" in (finished / PAGE).read_text(encoding="utf-8")
    for path in PREDICTED:
        told = pl.read_parquet(finished / path)
        assert told.columns == list(PREDICTIONS)
        assert told.height == 24
    assert not (finished / "cohort").exists()  # nothing of the other system was made


def test_what_a_switch_runs_again(checkout: Path, finished: Path) -> None:
    """Cases and what follows, not the reading of the folder; the target side is no input of the cases."""
    plan = study(checkout, finished, "-n", PAGE, "--config", "lacdm={switches: {masking: all}}").stdout
    assert "build_lacdm_episodes" in planned(plan)
    assert not {"generate_lacdm", "ingest_lacdm"} & set(planned(plan))
    inputs = plan.split("rule build_lacdm_episodes:")[1].split("output:")[0]
    assert "tables/history.parquet" in inputs
    assert "target" not in inputs


def test_mimic_cdm_alone_is_enough(checkout: Path, finished: Path, tmp_path: Path) -> None:
    folder = str(finished / "cdm")
    config = ("--config", "lacdm={switches: {initial: history}}")
    asked = ("--directory", str(tmp_path), "--cores", "1", "-n")
    plan = snakemake(checkout, *asked, "results/lacdm/episodes/test.arrow", *config, MIMIC_CDM_ROOT=folder)
    assert planned(plan.stdout) == {"ingest_lacdm": 1, "split_lacdm": 1, "build_lacdm_episodes": 1}, plan.stdout
    other = snakemake(checkout, *asked, "results/splits.parquet", *config, MIMIC_CDM_ROOT=folder)
    assert other.returncode != 0
    assert "MCMED_ROOT-is-not-set" in other.stdout
