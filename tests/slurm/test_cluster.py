"""The study on a real SLURM of one node: where jobs run, what a failure shows, kills, and Ctrl-C."""

import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import yaml
from one_node_slurm import Cluster, wait_until
from slurm_study import LONG, TABLE, Study, planned, script
from workflow_runs import ROOT, environment

from tirec.errors import TirecError
from tirec.report.plan.site import check_cluster

pytestmark = pytest.mark.slurm

rehearse = script("rehearse_study")


def test_the_small_study_runs_to_its_table(finished: Study) -> None:
    table = pl.read_csv(finished.directory / TABLE, separator="\t")
    assert set(table["policy"]) == {"base", "full", "no_skills", "teacher"}
    assert not [path for path in finished.directory.rglob("*.partial")]


def test_jobs_land_in_their_partition_with_what_their_rule_asks_for(cluster: Cluster, finished: Study) -> None:
    assert finished
    for rule, jobs, cpus in (("train_policy", 2, "8"), ("predict_policy", 3, "1")):
        found = cluster.of_rule(rule)
        assert len(found) == jobs
        for job in found:
            asked = (job["Partition"], job["TresPerJob"], job["NumNodes"], job["NumCPUs"], job["JobState"])
            assert asked == ("gpu", "gres:gpu:h100:1", "1", cpus, "COMPLETED")
    others = [job for job in cluster.jobs() if not {"train_policy", "predict_policy"} & {rule_of(job)}]
    assert len(others) > 20
    assert {(job["Partition"], job.get("TresPerJob")) for job in others} == {("cpu", None)}


def rule_of(job: dict[str, str]) -> str:
    return job["Comment"].removeprefix("rule_").partition("_wildcards")[0]


def test_aggregations_take_no_job(cluster: Cluster, finished: Study) -> None:
    assert finished
    assert not {"compare_ablations", "select_reference_sets", "collect_skills"} & {
        rule_of(job) for job in cluster.jobs()
    }


def test_a_second_call_has_nothing_to_submit(finished: Study) -> None:
    again = finished.run("-n", TABLE)
    assert "Nothing to be done" in again.stdout


def test_a_failing_job_shows_its_log_and_leaves_nothing_half_written(finished: Study, tmp_path: Path) -> None:
    study = finished.copy(tmp_path / "study")
    orders = study.directory / "cohort/orders.csv"
    orders.write_bytes(orders.read_bytes()[: orders.stat().st_size // 2] + b"\n\xff\xfe," * 2000)
    run = study.run("--retries", "0", "results/tables/orders.parquet")
    assert run.returncode == 1
    assert "error: cohort/orders.csv: cannot be read" in run.stdout
    assert "Error in rule ingest_records" in run.stdout
    assert not list((study.directory / "results/tables").glob("*.parquet"))
    assert not [path for path in study.directory.rglob("*.partial")]


def long_targets(tmp_path: Path, *policies: str) -> list[str]:
    """The targets of policies that the study's table does not name, and the overlay that does."""
    overlay = tmp_path / "long.yaml"
    overlay.write_text(yaml.safe_dump({"ablations": ["full", *LONG]}))
    return [f"results/policies/{policy}/seed0/history.tsv" for policy in policies] + [
        "--configfile",
        "tests/data/small.yaml",
        str(overlay),
    ]


def wait_for_checkpoint(study: Study, policy: str) -> None:
    runs = study.directory / "results/.runs" / policy / "seed0"
    assert wait_until(lambda: any(runs.glob("*/checkpoint.pt")), 600), f"{policy} never saved"


def trainings(cluster: Cluster) -> set[tuple[str, str]]:
    """Job id and comment of every training job so far."""
    return {(job["JobId"], job["Comment"]) for job in cluster.of_rule("train_policy")}


def result_of(study: Study, policy: str) -> dict[str, bytes]:
    folder = study.directory / "results/policies" / policy / "seed0"
    named = [folder / "history.tsv", *folder.rglob("model.safetensors")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in named}


def test_training_killed_by_the_cluster_ends_with_the_bytes_of_an_unbroken_run(
    cluster: Cluster, finished: Study, tmp_path: Path
) -> None:
    """One run is asked to stop as before a time limit (SIGURG to every process of the job), one is cancelled."""
    unbroken = finished.copy(tmp_path / "unbroken")
    run = unbroken.run(*long_targets(tmp_path, "long_a"), profile=False)
    assert run.returncode == 0, run.stdout
    broken = finished.copy(tmp_path / "broken")
    before = trainings(cluster)
    with broken.started(tmp_path / "said.txt", *long_targets(tmp_path, *LONG)) as process:
        for policy, kill in (("long_a", ["scancel", "--signal=URG"]), ("long_b", ["scancel"])):
            wait_for_checkpoint(broken, policy)
            job = next(job for job in trainings(cluster) - before if policy in job[1])
            cluster.ask(*kill, job[0])
        assert process.wait(timeout=900) == 0, (tmp_path / "said.txt").read_text()
    states = {job["JobId"]: job["JobState"] for job in cluster.jobs()}
    assert sorted(states[job] for job, _ in trainings(cluster) - before) == [
        "CANCELLED",
        "COMPLETED",
        "COMPLETED",
        "FAILED",
    ]
    assert "stopped on request after step" in (tmp_path / "said.txt").read_text()
    for policy in LONG:
        assert result_of(broken, policy) == result_of(unbroken, "long_a")


def test_after_ctrl_c_no_job_is_left(cluster: Cluster, finished: Study, tmp_path: Path) -> None:
    study = finished.copy(tmp_path / "study")
    with study.started(tmp_path / "said.txt", *long_targets(tmp_path, "long_a")) as process:
        assert wait_until((study.directory / "logs/train_policy/long_a.seed0.log").is_file, 300)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) != 0
    assert cluster.wait_idle(60)


def test_the_cluster_accepts_every_kind_of_submission_of_the_real_study(
    cluster: Cluster, tmp_path: Path, records: Path
) -> None:
    jobs = planned(tmp_path, records, training={"engine": "verl"})
    assert rehearse.offered(jobs).startswith("SLURM accepts all ")
    too_many = replace(
        next(job for job in jobs if job.rule == "train_policy"), resources={**jobs[0].resources, "gpu": 8}
    )
    with pytest.raises(TirecError, match="SLURM refuses train_policy"):
        rehearse.offered([too_many])


def test_the_site_check_finds_the_partitions_and_what_does_not_fit(
    cluster: Cluster, tmp_path: Path, records: Path
) -> None:
    jobs = planned(tmp_path, records, training={"engine": "verl"})
    assert [(verdict.check, verdict.passed) for verdict in check_cluster(jobs)] == [
        ("partition cpu", True),
        ("partition gpu", True),
    ]
    trained = next(job for job in jobs if job.rule == "train_policy")
    for change in ({"gpu": 8}, {"gpu_model": "a100"}, {"mem_mb": 2_000_000}, {"runtime": 2000}):
        (verdict,) = check_cluster([replace(trained, resources={**trained.resources, **change})])
        assert not verdict.passed, change
        assert verdict.told.startswith("no node for train_policy"), verdict.told
    (verdict,) = check_cluster([replace(trained, resources={**trained.resources, "slurm_partition": "hopper"})])
    assert "not there (TIREC_SLURM_PARTITION" in verdict.told


@pytest.mark.timeout(1500)
def test_a_rehearsal_in_small(cluster: Cluster, tmp_path: Path) -> None:
    words = ["--visits", "600", "--cores", "2", "--directory", str(tmp_path / "rehearsal")]
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/rehearse_study.py"), *words],
        cwd=ROOT,
        env=environment(PYTHONPATH=str(ROOT / "workflow")),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1500,
    )
    assert run.returncode == 0, run.stdout
    assert (tmp_path / "rehearsal/results/episodes/train.arrow").exists()
    assert re.search(r"^render_observations/revisit +\d+", run.stdout, re.MULTILINE)
    assert "SLURM accepts all" in run.stdout
    assert "GPU hours in all" in run.stdout
