"""Every reward part of saved trajectories under given weights, without a new rollout."""

import argparse
import sys
from pathlib import Path

import polars as pl

from tirec import frontend
from tirec.agent import trajectories
from tirec.agent.cases import open_cases
from tirec.config.agent import RewardConfig
from tirec.provenance import write_tsv


def main() -> None:
    """Writes one row per trajectory: the parts, the total, and the total that was saved with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trajectories", required=True, type=Path, help="a .jsonl.zst file of trajectories")
    parser.add_argument("--episodes", required=True, type=Path, help="the .arrow file of the same split")
    parser.add_argument("--config", help="the reward section: JSON, or a YAML or JSON file; the study's by default")
    parser.add_argument("--output", required=True, type=Path, help="a .tsv file")
    given = parser.parse_args()
    config = frontend.read_settings(RewardConfig, given.config)
    scored = trajectories.rescore(trajectories.read(given.trajectories), open_cases(given.episodes), config)
    write_tsv(scored, given.output)
    print(scored.group_by("task", maintain_order=True).agg(pl.col(pl.Float64).mean().round(4)), file=sys.stderr)


if __name__ == "__main__":
    frontend.run(main)
