"""The study on a real SLURM of one node: where jobs run, what a failure shows, kills, and Ctrl-C."""

import polars as pl
import pytest
from conftest import TABLE, Study
from one_node_slurm import Cluster

pytestmark = pytest.mark.slurm


def test_the_small_study_runs_to_its_table(finished: Study) -> None:
    table = pl.read_csv(finished.directory / TABLE, separator="\t")
    assert table["policy"].unique().sort().to_list() == ["base", "full", "no_skills", "teacher"]
    assert not [path for path in finished.directory.rglob("*.partial")]


def test_jobs_land_in_their_partition_with_what_their_rule_asks_for(cluster: Cluster, finished: Study) -> None:
    trained = cluster.of_rule("train_policy")
    for job in trained:
        print(job)
    assert trained
