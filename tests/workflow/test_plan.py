"""Plans of the real study from a fresh checkout, and what a user is told when something is missing."""

from pathlib import Path

import pytest
import yaml
from workflow_runs import ROOT, copy_of_checkout, planned, snakemake

from tirec.config.profiles import configfiles
from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.write import generate

TABLE = "results/ablations.tsv"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_checkout(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("records")
    generate(SyntheticConfig(visits=300), folder)
    return str(folder)


def test_the_whole_study_is_planned_for_a_cluster(checkout: Path, records: str) -> None:
    plan = snakemake(checkout, "--profile", "slurm", "-n", TABLE, MCMED_ROOT=records)
    assert plan.returncode == 0, plan.stdout
    jobs = planned(plan.stdout)
    assert jobs["train_policy"] == 4
    assert jobs["predict_policy"] == 5
    assert (jobs["build_features"], jobs["train_teacher"], jobs["render_observations"]) == (3, 3, 3)
    training = plan.stdout.partition("rule train_policy:")[2].partition("Shell command")[0]
    assert "gpu=4" in training  # verl, on one node of four
    assert "gpu_model=h100" in training
    assert "slurm_partition=gpu" in training
    assert "note: models/Qwen3-4B: no base model there yet" in plan.stdout


def test_without_a_records_folder_one_line_says_what_to_set(checkout: Path) -> None:
    plan = snakemake(checkout, "--profile", "slurm", "-n", TABLE)
    assert plan.returncode != 0
    told = [line for line in plan.stdout.splitlines() if "rofile" not in line]
    assert told == ["error: no records folder: set data.root, or MCMED_ROOT, to the folder that holds visits.csv"]


def test_a_real_run_without_the_base_model_stops_before_its_first_job(checkout: Path, records: str) -> None:
    run = snakemake(checkout, "--profile", "local", TABLE, MCMED_ROOT=records)
    assert run.returncode != 0
    assert "error: models/Qwen3-4B: no base model there" in run.stdout
    assert not (checkout / "results" / "tables").exists()


@pytest.mark.parametrize(
    ("overlay", "said"),
    [
        ({"techer": {"gamma": 0.1}}, "error: techer: no such configuration key; did you mean teacher?"),
        ({"ablations": ["full", "no_such"]}, "error: ablation 'no_such' has no file in"),
        ({"training": {"overrides": {"stepz": 3}}}, "stepz"),
        ({"protocol": {"prompts": "config/promts"}}, "error: config/promts: no prompt templates"),
        ({"skills": "config/skils"}, "error: config/skils: no skill documents"),
        ({"report": {"curves": ["nobody"]}}, "error: report.curves: nobody is no model of this study; there are full"),
    ],
)
def test_a_slip_in_the_configuration_is_one_line(
    checkout: Path, records: str, tmp_path: Path, overlay: dict[str, object], said: str
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump(overlay))
    plan = snakemake(checkout, "--profile", "local", "--configfile", str(mine), "-n", TABLE, MCMED_ROOT=records)
    assert plan.returncode != 0
    told = [line for line in plan.stdout.splitlines() if line.startswith("error: ")]
    assert len(told) == 1
    assert said in told[0]


def test_profiles_are_found_from_the_checkout_and_none_is_implicit() -> None:
    for name in ("slurm", "local"):
        assert (ROOT / name).resolve() == ROOT / "workflow" / "profiles" / name
    assert not (ROOT / "workflow" / "profiles" / "default").exists()


def test_the_demo_takes_a_file_of_the_users_over_its_own(checkout: Path, tmp_path: Path) -> None:
    own = tmp_path / "my.yaml"
    own.write_text("seeds: [0, 1]\nablations: [full, no_match]\n", encoding="utf-8")
    demo = checkout / "workflow/profiles/demo"
    plan = snakemake(checkout, "--profile", str(demo), *configfiles(demo, [str(own)]), "-n", "--", "all")
    assert plan.returncode == 0, plan.stdout
    jobs = planned(plan.stdout)
    assert (jobs["generate_cohort"], jobs["train_policy"]) == (1, 4)
