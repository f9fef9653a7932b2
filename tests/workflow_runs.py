"""Running the real Snakemake on a copy of the checkout, so that tests may edit code and configuration."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SMALL = "tests/data/small.yaml"


def copy_of_checkout(target: Path) -> Path:
    """The files that git knows or would add, without results or packages."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        source, copy = ROOT / name, target / name
        if source.is_symlink() or source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy, follow_symlinks=False)
    return target


def command(*arguments: str) -> list[str]:
    """A call of the Snakemake that belongs to the running interpreter."""
    return [sys.executable, "-m", "snakemake", *arguments]


def environment(**changes: str) -> dict[str, str]:
    """The test's environment without a records folder, one thread per process."""
    kept = {name: value for name, value in os.environ.items() if name not in ("MCMED_ROOT", "PYTHONPATH")}
    return {**kept, "OMP_NUM_THREADS": "1", **changes}


def snakemake(
    checkout: Path, *arguments: str, offline: bool = False, **changes: str
) -> subprocess.CompletedProcess[str]:
    """Runs Snakemake in `checkout` and gives what it printed, stdout and stderr together; offline: network cut."""
    return subprocess.run(
        [*(cut_network() if offline else ()), *command(*arguments)],
        cwd=checkout,
        env=environment(**changes),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1200,
    )


def cut_network() -> list[str]:
    """A prefix that runs a command without any network, where this machine lets users do that."""
    prefix = ["unshare", "--map-root-user", "--net"]
    allowed = (
        shutil.which("unshare") and not subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode
    )
    return prefix if allowed else []


def small_study(
    checkout: Path, directory: Path, *arguments: str, offline: bool = False
) -> subprocess.CompletedProcess[str]:
    """The study of seconds, in `directory`."""
    run = (
        "--configfile",
        SMALL,
        "--directory",
        str(directory),
        "--cores",
        "2",
        "--rerun-incomplete",
        "--show-failed-logs",
    )
    return snakemake(checkout, *run, *arguments, offline=offline)


def planned(printed: str) -> dict[str, int]:
    """The job counts of a dry run, by rule, without the total."""
    table = printed.partition("Job stats:\n")[2].partition("\n\n")[0]
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE) if rule != "total"}


def start_and_kill(checkout: Path, directory: Path, seconds: float, *arguments: str) -> None:
    """Starts the small study and kills the whole process group without warning after some seconds."""
    run = command(
        "--configfile", SMALL, "--directory", str(directory), "--cores", "2", "--rerun-incomplete", *arguments
    )
    with subprocess.Popen(
        run,
        cwd=checkout,
        env=environment(),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        deadline = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
