"""What every job of the real study asks a cluster for; no cluster is needed here."""

import re
from pathlib import Path

import pytest
from slurm_study import planned, script
from workflow_runs import ROOT

from tirec.config.study import Study
from tirec.config.training import compose
from tirec.errors import DataError
from tirec.report.plan.dry_run import PlannedJob, planned_jobs
from tirec.report.plan.forecast import Rates, largest, of_ablation
from tirec.report.plan.page import forecast_lines
from tirec.report.plan.site import minutes

ON_GPUS = ("train_policy", "predict_policy")
LOCAL = re.compile(r"^rule (\w+):\n(?:(?!^rule ).*\n)*?    localrule: True$", re.MULTILINE)


submit_command = script("rehearse_study").submit_command


@pytest.fixture(scope="module")
def verl(tmp_path_factory: pytest.TempPathFactory, records: Path) -> list[PlannedJob]:
    return planned(tmp_path_factory.mktemp("verl"), records, training={"engine": "verl"})


def calls(jobs: list[PlannedJob], rule: str) -> set[str]:
    return {submit_command(job) for job in jobs if job.rule == rule}


def test_grpo_takes_a_node_of_four_h100s_and_is_warned_before_its_limit(verl: list[PlannedJob]) -> None:
    (call,) = calls(verl, "train_policy")
    for asked in ("-p gpu", "--gpus=h100:4", "--nodes=1", "--cpus-per-task=32", "--mem 400000", "-t 1440"):
        assert f" {asked}" in call, call
    assert " --signal=URG@900" in call
    assert "--ntasks-per-gpu" not in call  # one task, which starts its own processes


def test_every_job_names_memory_time_cpus_and_a_partition_that_suits_it(verl: list[PlannedJob]) -> None:
    assert len(verl) > 40
    for job in verl:
        call = submit_command(job)
        partition = "gpu" if job.rule in ON_GPUS else "cpu"
        assert f" -p {partition} " in call, call
        assert ("--gpus=h100:" in call) == (job.rule in ON_GPUS), call
        assert re.search(r" -t \d+ ", call), call
        assert re.search(r" --mem \d+ ", call), call
        assert f" --cpus-per-task={job.threads}" in call, call
        assert job.number("runtime") <= 1440


def test_memory_and_time_are_the_rules_own(verl: list[PlannedJob]) -> None:
    """A profile's defaults are lost when another profile is given beside it; no rule may live from them."""
    text = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    for rule in {job.rule for job in verl} - {"train_policy", "build_instances_disposition"}:
        if rule.startswith("build_instances_"):
            continue
        body = text.partition(f"rule {rule}:\n")[2].partition("\nrule ")[0]
        assert "mem_mb=" in body, rule
        assert "runtime=" in body, rule


def test_every_rule_with_a_gpu_names_the_gpu_partition() -> None:
    """By `on_gpus`, ONE_GPU or `partition`: none is sent to the CPU partition with a GPU in its request."""
    rules = [path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")) if path.stem != "common"]
    for text in rules:
        for line in re.findall(r"^.*\bgpu(?:=|\":).*$", text, re.MULTILINE):
            assert f"{line}\n        slurm_partition=" in text, line


def test_aggregations_run_where_snakemake_runs() -> None:
    text = "".join(path.read_text() + "\n" for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    found = set(LOCAL.findall(text))
    assert {"compare_ablations", "select_reference_sets", "collect_skills", "plot_training", "plot_ablations"} <= found
    assert not found & {"train_policy", "train_teacher", "ingest_records", "build_features", "render_observations"}


@pytest.mark.slow
def test_the_local_engine_takes_one_h100(tmp_path: Path, records: Path) -> None:
    (call,) = calls(planned(tmp_path, records, training={"engine": "local"}), "train_policy")
    for asked in ("-p gpu", "--gpus=h100:1", "--nodes=1", "--cpus-per-task=8"):
        assert f" {asked}" in call, call


@pytest.mark.slow
def test_several_nodes_get_four_gpus_each_and_one_launcher(tmp_path: Path, records: Path) -> None:
    several = {"engine": "verl", "overrides": {"verl": {"nodes": 2}}}
    jobs = planned(tmp_path, records, training=several)
    (call,) = calls(jobs, "train_policy")
    for asked in ("--nodes=2", "--ntasks=2", "--cpus-per-task=32", "--gres=gpu:h100:4", "--mem 400000"):
        assert f" {asked}" in call, call
    assert "--gpus" not in call
    assert largest(jobs).gpus == 8


@pytest.mark.slow
def test_a_site_says_in_the_environment_what_differs(
    tmp_path: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = {
        "PARTITION": "batch",
        "GPU_PARTITION": "hopper",
        "ACCOUNT": "lab",
        "GPU_MODEL": "h100_80gb",
        "GPU_MINUTES": "720",
    }
    for name, value in site.items():
        monkeypatch.setenv(f"TIREC_SLURM_{name}", value)
    jobs = planned(tmp_path, records, training={"engine": "verl"})
    (call,) = calls(jobs, "train_policy")
    for asked in ("-p hopper", "-A lab", "--gpus=h100_80gb:4", "-t 720"):
        assert f" {asked}" in call, call
    assert all(" -p batch " in submit_command(job) for job in jobs if job.rule not in ON_GPUS)
    assert all("--gpus=h100_80gb:1" in call for call in calls(jobs, "predict_policy"))


def test_the_forecast_says_hours_disk_and_the_largest_job(verl: list[PlannedJob], tmp_path: Path) -> None:
    overlay = tmp_path / "verl.yaml"
    overlay.write_text("training: {engine: verl}\n")
    study = Study.read([overlay])
    told = "\n".join(forecast_lines(study, Rates.read(), verl))
    assert "largest job: train_policy, 4 GPUs h100, 1 node, 32 CPUs, 400 GB, 1440 min" in told
    assert len(re.findall(r"^(full|no_match|no_skills|no_gbm_target) ", told, re.MULTILINE)) == 4
    assert "GPU hours in all (estimates" in told


def test_the_forecast_grows_with_steps_and_shrinks_with_a_smaller_model(verl: list[PlannedJob], tmp_path: Path) -> None:
    overlay = tmp_path / "verl.yaml"
    overlay.write_text("training: {engine: verl}\n")
    study = Study.read([overlay])
    job = next(job for job in verl if job.rule == "train_policy")
    rates = Rates.read()
    whole = of_ablation(study, compose("full", {}), job, rates)
    half = of_ablation(study, compose("full", {"steps": 250}), job, rates)
    small = of_ablation(study, compose("full", {}), job, Rates(rates.table, rates.parameters / 4))
    assert whole.gpu_hours == pytest.approx(4 * whole.hours)
    assert half.hours == pytest.approx(whole.hours / 2, rel=0.02)
    assert small.hours == pytest.approx(whole.hours / 4)
    assert whole.attempts == -(-whole.hours // (1440 / 60 - 0.25))


def test_a_plan_that_cannot_be_made_is_told_in_its_own_words() -> None:
    with pytest.raises(DataError, match=r"the plan could not be made: no records folder"):
        planned_jobs("SNAKEMAKE\nerror: no records folder: set data.root\n")


@pytest.mark.parametrize(
    ("limit", "expected"), [("1-00:00:00", 1440), ("30:00", 30), ("12:00:00", 720), ("infinite", float("inf"))]
)
def test_time_limits_as_slurm_prints_them(limit: str, expected: float) -> None:
    assert minutes(limit) == expected
