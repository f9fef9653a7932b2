"""What a study will cost in GPU hours and disk, before anything is submitted; --check: whether this site is ready."""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tirec import frontend
from tirec.config.study import Study
from tirec.errors import TirecError
from tirec.report.plan.dry_run import PlannedJob, plan
from tirec.report.plan.forecast import Rates, disk_gb
from tirec.report.plan.page import forecast_lines
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
        sys.exit(not all([tell(verdict) for verdict in verdicts(study, rates, given)]))
    print(*forecast_lines(study, rates, plan(given.target, given.configfile, given.directory)), sep="\n")


def verdicts(study: Study, rates: Rates, given: argparse.Namespace) -> Iterator[Verdict]:
    """Every check, the GPU's last."""
    jobs: list[PlannedJob] = []
    try:
        jobs = plan(given.target, given.configfile, given.directory)
        yield Verdict("plan", True, f"{len(jobs)} jobs")
    except TirecError as fault:
        yield Verdict("plan", False, str(fault))
    python = trainer(study)
    yield from check_site(study, jobs, sum(disk_gb(study, rates).values()), python)
    if shutil.which(python) is None:
        return
    if shutil.which("nvidia-smi") is None:
        print("        no GPU on this machine: `make gpu-check` on a GPU node runs the rest")
    else:
        done = subprocess.run([python, str(Path(__file__).with_name("check_gpu.py"))], check=False)
        yield Verdict("GPU layers", done.returncode == 0, "scripts/check_gpu.py, verdicts above")


def trainer(study: Study) -> str:
    """The Python that trains the study's policies; a relative path counts from the checkout."""
    environments = study.environments
    named = environments.grpo if study.training.engine == "verl" else environments.cpu
    return str(ROOT / named) if named and "/" in named else named or sys.executable


def tell(verdict: Verdict) -> bool:
    """Prints a verdict; whether it passed."""
    print(verdict.line, flush=True)
    return verdict.passed


if __name__ == "__main__":
    frontend.run(main)
