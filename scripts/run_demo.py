"""Runs the demo: the whole study on a synthetic cohort, into demo/.

Usage: run_demo.py [--cores N|all] [--target NAME] [--configfile FILE ...]

Holds demo/.lock while it runs, so that two demos never write over each other, and clears the lock that a killed
Snakemake left behind. Whatever happened before, the same command continues where the last one stopped.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tirec.config.profiles import configfiles
from tirec.errors import TirecError
from tirec.frontend import only_one, run

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "demo"
SUMMARIES = {"all": "print_summary.py", "lacdm": "print_lacdm_summary.py"}
"""Targets that end with a table and a verdict."""
PROFILE = ROOT / "workflow" / "profiles" / "demo"


class DemoError(TirecError):
    """The demo did not finish, or its verdict is a failure."""


def snakemake(*arguments: str, quiet: bool = False) -> int:
    """Runs Snakemake with the demo's profile; gives its exit code."""
    command = [sys.executable, "-m", "snakemake", "--profile", str(PROFILE), *arguments]
    output = subprocess.DEVNULL if quiet else None
    # OpenMP threads of parallel rules would fight over the cores: each rule sets what it needs.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=ROOT, check=False, env=environment, stdout=output, stderr=output).returncode


def main() -> None:
    """Runs the demo and prints its summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cores", default="all")
    parser.add_argument("--target", default="all")
    parser.add_argument("--configfile", nargs="*", default=[], help="overlays over config/demo.yaml")
    options = parser.parse_args()
    overlays = configfiles(PROFILE, options.configfile)
    started = time.monotonic()
    with only_one(DEMO / ".lock"):
        if any((DEMO / ".snakemake" / "locks").glob("*")):
            snakemake("--unlock", quiet=True)
        if snakemake(*overlays, "--cores", options.cores, "--", options.target):
            raise DemoError("the demo stopped; the lines above say why, and `make demo` continues")
        if options.target in SUMMARIES:
            summarise(SUMMARIES[options.target], time.monotonic() - started)


def summarise(summary: str, seconds: float) -> None:
    """Prints the results table, the verdict and where to look; raises DemoError when the verdict is a failure."""
    script = [sys.executable, str(ROOT / "scripts" / summary), "--demo", str(DEMO)]
    verdict = subprocess.run(script, check=False).returncode
    print(f"\n{seconds:.0f} s. Everything is in {DEMO.relative_to(ROOT)}/results/")
    if verdict:
        raise DemoError("the demo ran, but its verdict is a failure (see above)")


if __name__ == "__main__":
    run(main)
