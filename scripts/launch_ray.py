"""Runs a command on a Ray that spans the nodes of a SLURM job: launch_ray.py --gpus 4 --cpus 32 -- COMMAND …"""

import argparse
import os
import sys

from tirec import frontend
from tirec.training.ray_launch import Nodes, allocated, run_on_ray


def main() -> None:
    """Starts Ray, runs the command with RAY_ADDRESS set, ends Ray, and exits as the command did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", help="hosts with a comma between, started here without srun (one machine, tests)")
    parser.add_argument("--cpus", type=int, required=True, help="CPUs per node")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs per node")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    given = parser.parse_args()
    hosts = tuple(given.hosts.split(",")) if given.hosts else allocated(os.environ)
    sys.exit(run_on_ray(Nodes(hosts, given.cpus, given.gpus, by_srun=given.hosts is None), given.command))


if __name__ == "__main__":
    frontend.run(main)
