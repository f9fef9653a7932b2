"""One cluster and one finished study for all tests of this folder."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tiny_policy as tiny
import yaml
from one_node_slurm import Cluster, missing, running_cluster
from workflow_runs import SMALL, command, copy_of_checkout, environment

from tirec.config.agent import ProtocolConfig
from tirec.config.policy import BaseConfig, WarmStartConfig
from tirec.policy.base import build_tiny

TABLE = "results/ablations.tsv"
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
            timeout=1800,
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

    Its base is a local model folder, so that its policies ask for what those of a real study ask for: a GPU of the
    engine `local`.
    """
    checkout = copy_of_checkout(tmp_path_factory.mktemp("checkout"))
    study = Study(checkout, tmp_path_factory.mktemp("slurm") / "small study")
    settings = yaml.safe_load((checkout / SMALL).read_text())
    small_base(ProtocolConfig.model_validate(settings["protocol"]), study.directory / "models/small")
    settings["model"] = {"kind": "hf", "base": "models/small"}
    (checkout / SMALL).write_text(yaml.safe_dump(settings))
    for name in ("long_a", "long_b"):
        (checkout / f"config/grpo/ablation/{name}.yaml").write_text(LONG)
    run = study.run(TABLE)
    assert run.returncode == 0, run.stdout
    return study


def small_base(rules: ProtocolConfig, folder: Path) -> None:
    """A tiny model that has seen the protocol, as a local Hugging Face folder."""
    with TemporaryDirectory() as scratch:
        cases = tiny.write_cases(Path(scratch) / "train.arrow", "train", 12)
        config = BaseConfig(kind="tiny", warm_start=WarmStartConfig(steps=20))
        build_tiny(config, cases, rules, "synthetic", Path(scratch) / "base")
        shutil.copytree(Path(scratch) / "base/model", folder)
