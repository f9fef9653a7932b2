"""One cluster and one finished study for all tests of this folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from one_node_slurm import Cluster, missing, running_cluster
from slurm_study import LONG, LONG_SETTINGS, TABLE, Study, small_base
from workflow_runs import SMALL, copy_of_checkout

from tirec.config.agent import ProtocolConfig
from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.write import generate


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A records folder, for plans."""
    folder = tmp_path_factory.mktemp("records")
    generate(SyntheticConfig(visits=300), folder)
    return folder


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if why := missing():
        if os.environ.get("TIREC_REQUIRE_SLURM"):
            pytest.fail(f"TIREC_REQUIRE_SLURM is set, but {why}")
        pytest.skip(why)
    with running_cluster() as started:
        yield started


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
    for name in LONG:
        (checkout / f"config/grpo/ablation/{name}.yaml").write_text(LONG_SETTINGS)
    run = study.run(TABLE)
    assert run.returncode == 0, run.stdout
    return study
