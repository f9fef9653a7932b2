"""A small study on the test cluster, and the real study's jobs as they would be sent to one."""

import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import tiny_policy as tiny
import yaml
from workflow_runs import ROOT, SMALL, command, environment

from tirec.config.agent import ProtocolConfig
from tirec.config.policy import BaseConfig, WarmStartConfig
from tirec.policy.base import build_tiny
from tirec.report.plan.dry_run import PlannedJob, plan

TABLE = "results/ablations.tsv"
LONG = ("long_a", "long_b")
"""Ablations that train long enough to be killed."""
LONG_SETTINGS = "# @package _global_\nsteps: 12\n"


@dataclass(frozen=True)
class Study:
    """A small study on the cluster: a checkout and a folder of results."""

    checkout: Path
    directory: Path

    def call(self, *arguments: str, profile: bool = True) -> list[str]:
        """The command line of Snakemake for this study."""
        watched = ("--profile", "slurm", "--jobs", "4", "--slurm-init-seconds-before-status-checks", "1")
        local = ("--cores", "1", "--rerun-incomplete", "--show-failed-logs")
        configured = ("--configfile", SMALL, "--directory", str(self.directory))
        return command(*(watched if profile else local), *configured, *arguments)

    def run(self, *arguments: str, profile: bool = True) -> subprocess.CompletedProcess[str]:
        """Snakemake to its end."""
        return subprocess.run(
            self.call(*arguments, profile=profile),
            cwd=self.checkout,
            env=environment(),
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=3600,
        )

    @contextmanager
    def started(self, log: Path, *arguments: str) -> Iterator[subprocess.Popen]:
        """Snakemake in the background, printing to `log`; ended with the block if it still runs."""
        with log.open("w") as handle:
            process = subprocess.Popen(
                self.call(*arguments), cwd=self.checkout, env=environment(), stdout=handle, stderr=subprocess.STDOUT
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def copy(self, target: Path) -> "Study":
        """The same results in another folder."""
        shutil.copytree(self.directory, target, symlinks=True)
        return Study(self.checkout, target)


def small_base(rules: ProtocolConfig, folder: Path) -> None:
    """A tiny model that has seen the protocol, as a local Hugging Face folder."""
    with TemporaryDirectory() as scratch:
        cases = tiny.write_cases(Path(scratch) / "train.arrow", "train", 12)
        config = BaseConfig(kind="tiny", warm_start=WarmStartConfig(steps=20))
        build_tiny(config, cases, rules, "synthetic", Path(scratch) / "base")
        shutil.copytree(Path(scratch) / "base/model", folder)


def script(name: str) -> ModuleType:
    """A front end as a module."""
    found = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def planned(folder: Path, records: Path, **changes: object) -> list[PlannedJob]:
    """The jobs of the real study with some sections changed, on a folder of records."""
    overlay = folder / "mine.yaml"
    overlay.write_text(yaml.safe_dump({"data": {"root": str(records)}, **changes}))
    return plan(TABLE, [overlay], folder)
