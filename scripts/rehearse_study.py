"""The day before the real records: a synthetic cohort of full size up to episodes/, jobs offered to SLURM, forecast."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import yaml
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string

from tirec import frontend
from tirec.config.study import Study
from tirec.errors import TirecError
from tirec.report.plan.dry_run import ROOT, PlannedJob, plan
from tirec.report.plan.forecast import Rates
from tirec.report.plan.page import forecast_lines
from tirec.report.plan.site import no_cluster

REHEARSAL = ROOT / "config" / "rehearsal.yaml"
TARGETS = ("episodes", "results/audit/index.html")


def main() -> None:
    """Runs the CPU stages, prints what each took, offers every planned job to sbatch, prints the forecast."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configfile", nargs="*", default=[], type=Path, help="your own files over config/config.yaml")
    parser.add_argument("--visits", type=int, help="a smaller cohort, for trying the rehearsal itself")
    parser.add_argument("--directory", type=Path, default=ROOT / "rehearsal", help="where it runs (about 6 GB)")
    parser.add_argument("--cores", default="all", help="cores it may use")
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        overlays = [*given.configfile, REHEARSAL, sized(Path(scratch), given.visits)]
        run_stages(overlays, given.directory, given.cores)
        print(*stage_lines(given.directory / "results" / "benchmarks"), "", sep="\n")
        study, jobs = Study.read(overlays), plan("results/ablations.tsv", overlays, Path(scratch))
        print(offered(jobs), "", *forecast_lines(study, Rates.read(), jobs), sep="\n")


def sized(folder: Path, visits: int | None) -> Path:
    """A configuration file that sets the size of the cohort, or nothing."""
    path = folder / "size.yaml"
    path.write_text(yaml.safe_dump({"synthetic": {"visits": visits}} if visits else {}))
    return path


def run_stages(overlays: list[Path], directory: Path, cores: str) -> None:
    """Every CPU stage up to the episodes, by Snakemake, on this machine; raises TirecError when one fails."""
    words = [sys.executable, "-m", "snakemake", *TARGETS, "--directory", str(directory), "--cores", cores]
    words += ["--rerun-incomplete", "--show-failed-logs", "--configfile", *(str(path.resolve()) for path in overlays)]
    if subprocess.run(words, cwd=ROOT, check=False).returncode:
        raise TirecError("a stage of the rehearsal failed; its log is above")


def stage_lines(benchmarks: Path) -> list[str]:
    """Seconds, processor seconds and peak memory of every stage."""
    lines = [f"{'stage':<40}{'seconds':>9}{'cpu s':>9}{'GiB':>7}"]
    for path in sorted(benchmarks.rglob("*.jsonl")):
        told = json.loads(path.read_text().splitlines()[-1])
        name = str(path.relative_to(benchmarks).with_suffix(""))
        gib = f"{float(told['max_rss']) / 1024:.2f}" if told["max_rss"] not in (None, "NA") else "-"
        lines.append(f"{name:<40}{float(told['s']):>9.0f}{float(told['cpu_time'] or 0):>9.0f}{gib:>7}")
    return lines


def submit_command(job: PlannedJob) -> str:
    """The sbatch call that Snakemake's executor makes for a job, without what it wraps."""
    resources = SimpleNamespace(**job.resources, get=lambda name, default=None: job.resources.get(name, default))
    told = SimpleNamespace(resources=resources, threads=job.threads, is_group=lambda: False)
    account = f"-A {job.resources['slurm_account']}" if "slurm_account" in job.resources else ""
    partition = f"-p {job.resources['slurm_partition']}"
    named = {"run_uuid": "tirec", "slurm_logfile": "%j.log", "comment_str": f"rule_{job.rule}", "workdir": None}
    return get_submit_command(told, {**named, "account": account, "partition": partition}) + set_gres_string(told)


def offered(jobs: list[PlannedJob]) -> str:
    """Offers every kind of job to the cluster without running it; raises TirecError with the reason of a refusal."""
    calls = {submit_command(job): job for job in jobs}
    if why := no_cluster():
        return f"{why}: the {len(calls)} kinds of submission were written, not tried"
    for call, job in calls.items():
        done = subprocess.run(
            f"{call} --test-only --wrap true", shell=True, check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise TirecError(f"SLURM refuses {job.rule} ({job.asked}): {done.stderr.strip().splitlines()[-1]}")
    return f"SLURM accepts all {len(calls)} kinds of submission of {len(jobs)} jobs"


if __name__ == "__main__":
    frontend.run(main)
