"""Makes results/report.html: every table and figure of a study in one file that needs no network.

Usage: make_report.py [--profile demo|local|slurm] [--configfile FILE ...] [--cores N|all]

Runs what the report still lacks, then binds the marked outputs and their captions. Aggregates only.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tirec.config.profiles import configfiles
from tirec.errors import TirecError
from tirec.frontend import only_one, run

ROOT = Path(__file__).resolve().parents[1]
REPORT = "results/report.html"
SECOND = "results/lacdm/ablations.tsv"
"""The second system's table: where it is, the report has a part on it."""


class ReportError(TirecError):
    """A table or figure of the report could not be made."""


def snakemake(arguments: Sequence[str]) -> int:
    """Runs Snakemake from the checkout; its exit code."""
    command = [sys.executable, "-m", "snakemake", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}).returncode


def targets(folder: Path) -> tuple[str, ...]:
    """What the report is made from; the second system's part where that was run."""
    return ("report_inputs", *(["lacdm"] if (folder / SECOND).exists() else []))


def main() -> None:
    """Makes what the report needs, then the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="demo", help="a profile in workflow/profiles/")
    parser.add_argument("--configfile", nargs="*", default=[], help="overlays over the profile's own")
    parser.add_argument("--cores", default="all")
    given = parser.parse_args()
    profile = ROOT / "workflow" / "profiles" / given.profile
    if not profile.is_dir():
        known = ", ".join(sorted(path.name for path in profile.parent.iterdir()))
        raise ReportError(f"{given.profile}: no such profile; there are {known}")
    common = ["--profile", str(profile), *configfiles(profile, given.configfile)]
    folder = ROOT / "demo" if given.profile == "demo" else ROOT
    with only_one(folder / ".lock"):
        wanted = targets(folder)
        if snakemake([*common, "--cores", given.cores, *wanted]):
            raise ReportError("a table or figure of the report was not made; the lines above name the rule and its log")
        if snakemake([*common, "--report", REPORT, "--", *wanted]):
            raise ReportError("Snakemake could not bind the report; see the lines above")
    print(f"\n{(folder / REPORT).relative_to(ROOT)} and card.md beside it")


if __name__ == "__main__":
    run(main)
