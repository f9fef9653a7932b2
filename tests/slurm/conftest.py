"""One cluster and one finished study for all tests of this folder."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from one_node_slurm import Cluster, missing, running_cluster
from workflow_runs import ROOT, SMALL, command, copy_of_checkout, environment

TABLE = "results/ablations.tsv"
BASE = "results/policies/base/seed0"
LONG = "# @package _global_\nsteps: 12\n"
"""Settings of an ablation that trains long enough to be killed."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if why := missing():
        if os.environ.get("TIREC_REQUIRE_SLURM"):
            pytest.fail(f"TIREC_REQUIRE_SLURM is set, but {why}")
        pytest.skip(why)
    with running_cluster() as started:
        yield started


@dataclass(frozen=True)
class Study:
    """A small study on the cluster: a checkout, a folder of results, and what the last call printed."""

    checkout: Path
    directory: Path
    said: str = ""

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
            timeout=600,
        )

    def start(self, log: Path, *arguments: str) -> subprocess.Popen:
        """Snakemake in the background, printing to `log`."""
        with log.open("w") as handle:
            return subprocess.Popen(
                self.call(*arguments), cwd=self.checkout, env=environment(), stdout=handle, stderr=subprocess.STDOUT
            )

    def copy(self, target: Path) -> "Study":
        """The same results in another folder."""
        shutil.copytree(self.directory, target, symlinks=True)
        return Study(self.checkout, target)


@pytest.fixture(scope="session")
def finished(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The small study to its table, every job through the cluster.

    Its base is first made and warm-started, then given again as a local model folder: so the policies ask for what
    those of a real study ask for, a GPU of the engine `local`.
    """
    study = Study(
        copy_of_checkout(tmp_path_factory.mktemp("checkout")), tmp_path_factory.mktemp("slurm") / "small study"
    )
    (study.checkout / "config/grpo/ablation/long_a.yaml").write_text(LONG)
    (study.checkout / "config/grpo/ablation/long_b.yaml").write_text(LONG)
    made = study.run(f"{BASE}/disposition/policy.json")
    assert made.returncode == 0, made.stdout
    shutil.copytree(study.directory / BASE / "model", study.directory / "models/small")
    small = study.checkout / SMALL
    settings = yaml.safe_load((ROOT / SMALL).read_text())
    settings |= {"model": {"kind": "hf", "base": "models/small"}}
    small.write_text(yaml.safe_dump(settings))
    run = study.run(TABLE)
    assert run.returncode == 0, run.stdout
    return Study(study.checkout, study.directory, made.stdout + run.stdout)
