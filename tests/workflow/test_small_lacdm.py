"""LA-CDM through the real Snakemake, in small: what it writes, what a change reruns, and a study without MC-MED."""

import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from workflow_runs import copy_of_checkout, planned, snakemake

from tirec.lacdm.predictions import PREDICTIONS

pytestmark = pytest.mark.slow

PAGE = "results/lacdm/audit/index.html"
TABLES = ("results/lacdm/ablations.tsv", "results/lacdm/main.tsv")
FIGURES = tuple(f"results/lacdm/figures/{name}.pdf" for name in ("frontier", "reliability", "first_tests", "training"))
VIEWER = "results/lacdm/trajectories.html"
POLICIES = ("full", "zero_shot", "react", "tool_matching")
TABULAR = ("prevalence", "availability_only", "sm_ddpo")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_checkout(tmp_path_factory.mktemp("checkout"))


def study(checkout: Path, directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    run = ("--configfile", "tests/data/small_lacdm.yaml", "--directory", str(directory), "--cores", "2")
    return snakemake(checkout, *run, *arguments)


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("study")
    run = study(checkout, directory, PAGE, *TABLES, *FIGURES, VIEWER)
    assert run.returncode == 0, run.stdout
    return directory


def test_the_page_and_the_predictions(finished: Path) -> None:
    assert "Audit of MIMIC-CDM" in (finished / PAGE).read_text(encoding="utf-8")
    for model in (*TABULAR, "full.seed0", "zero_shot", "react", "tool_matching.seed0"):
        told = pl.read_parquet(finished / f"results/lacdm/predictions/{model}/test.parquet")
        assert told.columns == list(PREDICTIONS)
        assert told.height == 24
    assert not (finished / "cohort").exists()  # nothing of the other system was made


def test_the_tables_have_a_row_for_every_policy_and_model(finished: Path) -> None:
    policies, everyone = (pl.read_csv(finished / table, separator="\t") for table in TABLES)
    assert policies["policy"].to_list() == list(POLICIES)
    assert {*POLICIES, *TABULAR} <= set(everyone["policy"])
    assert policies["mean_accuracy"].is_between(0, 1).all() and (policies["cost"] >= 0).all()


def test_every_objective_had_its_turn(finished: Path) -> None:
    history = pl.read_csv(finished / "results/lacdm/policies/full/seed0/history.tsv", separator="\t")
    assert history["phase"].drop_nulls().to_list() == [0, 1, 2]


def test_figures_and_dialogues_are_made(finished: Path) -> None:
    for figure in FIGURES:
        assert (finished / figure).read_bytes().startswith(b"%PDF")
    assert "</html>" in (finished / VIEWER).read_text(encoding="utf-8")


def test_a_second_call_has_nothing_to_do(checkout: Path, finished: Path) -> None:
    plan = study(checkout, finished, "-n", PAGE, *TABLES, *FIGURES, VIEWER)
    assert planned(plan.stdout) == {}, plan.stdout


def test_a_figure_edit_trains_nothing(checkout: Path, finished: Path, tmp_path: Path) -> None:
    edited = shutil.copytree(checkout, tmp_path / "edited", symlinks=True)
    script = edited / "scripts/plot_lacdm.py"
    script.write_text(script.read_text(encoding="utf-8") + "\nEDITED = 1\n", encoding="utf-8")
    assert planned(study(edited, finished, "-n", *TABLES, *FIGURES).stdout) == {"plot_lacdm": 1}


def test_one_more_policy_trains_one_policy(checkout: Path, finished: Path) -> None:
    more = ("--config", f"lacdm={{policies: [{', '.join(POLICIES)}, no_cost]}}")
    jobs = planned(study(checkout, finished, "-n", TABLES[0], *more).stdout)
    assert jobs == {"train_lacdm": 1, "predict_lacdm": 1, "compare_lacdm": 1}


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
