"""What a study will cost in GPU hours and disk, before anything is submitted; --check: whether this site is ready."""

import argparse
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tirec import frontend
from tirec.config.study import Study
from tirec.config.training import compose
from tirec.errors import TirecError
from tirec.report.plan.dry_run import PlannedJob, planned_jobs
from tirec.report.plan.forecast import AblationForecast, Rates, disk_gb, largest, of_ablation, prediction_gpu_hours
from tirec.report.plan.site import Verdict, check_site

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Prints the forecast; with --check one verdict per line, and exit code 1 if anything is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configfile", nargs="*", default=[], type=Path, help="your own files over config/config.yaml")
    parser.add_argument("--target", default="results/ablations.tsv", help="what the study should make")
    parser.add_argument("--directory", type=Path, default=Path(), help="where its results lie")
    parser.add_argument("--check", action="store_true", help="check this site instead")
    given = parser.parse_args()
    study = Study.read(given.configfile)
    rates = Rates.read(Path(study.model.base) if study.model.base else None)
    if given.check:
        passed = [tell(verdict) for verdict in verdicts(study, rates, given)]
        sys.exit(not all(passed))
    report(study, rates, plan(given.target, given.configfile, given.directory))


def plan(target: str, overlays: list[Path], directory: Path) -> list[PlannedJob]:
    """The jobs that Snakemake would send to a cluster for a target."""
    # Enough cores that no job is planned with fewer threads than it asks for.
    words = [sys.executable, "-m", "snakemake", "--profile", "slurm", "--snakefile", "Snakefile", "-n", target]
    words += ["--cores", "4096", "--directory", str(directory.resolve())]
    words += ["--configfile", *(str(path.resolve()) for path in overlays)] if overlays else []
    done = subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return planned_jobs(done.stdout)


def report(study: Study, rates: Rates, jobs: list[PlannedJob]) -> None:
    """The forecast as text."""
    print(
        f"{len(jobs)} jobs: {', '.join(f'{n} {rule}' for rule, n in sorted(Counter(job.rule for job in jobs).items()))}"
    )
    forecasts = list(ablations(study, rates, jobs))
    if forecasts:
        print(f"\n{'policy':<18}{'min/step':>9}{'hours':>8}{'GPU h':>8}{'attempts':>10}  job")
    for one in forecasts:
        print(
            f"{one.policy:<18}{one.step_minutes:>9.1f}{one.hours:>8.1f}{one.gpu_hours:>8.0f}{one.attempts:>10}  "
            f"{one.job.asked}"
        )
    predicted = sum(job.rule == "predict_policy" for job in jobs)
    each = prediction_gpu_hours(study, rates) if predicted else 0.0
    total = sum(one.gpu_hours for one in forecasts) + predicted * each
    print(f"\n{predicted} sets of predictions, about {each:.1f} GPU hours each")
    print(f"about {total:.0f} GPU hours in all (estimates: workflow/tirec/report/plan/throughput.tsv)")
    for what, size in disk_gb(study, rates).items():
        print(f"about {size:.0f} GB for {what}")
    if jobs:
        print(f"largest job: {largest(jobs).rule}, {largest(jobs).asked}")


def ablations(study: Study, rates: Rates, jobs: list[PlannedJob]) -> Iterator[AblationForecast]:
    """The forecast of every policy that would be trained."""
    for job in jobs:
        if job.rule == "train_policy":
            yield of_ablation(study, compose(job.wildcards["policy"], study.training.overrides), job, rates)


def verdicts(study: Study, rates: Rates, given: argparse.Namespace) -> Iterator[Verdict]:
    """Every check, the GPU's last."""
    jobs: list[PlannedJob] = []
    try:
        jobs = plan(given.target, given.configfile, given.directory)
        yield Verdict("plan", True, f"{len(jobs)} jobs")
    except TirecError as fault:
        yield Verdict("plan", False, str(fault))
    python = study.environments.grpo or sys.executable
    yield from check_site(study, jobs, sum(disk_gb(study, rates).values()), python)
    if shutil.which("nvidia-smi") is None:
        return print("        no GPU on this machine: `make gpu-check` on a GPU node runs the rest")
    done = subprocess.run([python, str(ROOT / "scripts/check_gpu.py")], check=False, env=os.environ)
    yield Verdict("GPU layers", done.returncode == 0, "scripts/check_gpu.py, verdicts above")


def tell(verdict: Verdict) -> bool:
    """Prints a verdict; whether it passed."""
    print(verdict.line, flush=True)
    return verdict.passed


if __name__ == "__main__":
    frontend.run(main)
