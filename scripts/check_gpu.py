"""Whether this node can train with verl: a verdict for each layer, in ten minutes at most.

Run it with the Python of GPU nodes, or by `make gpu-check`. Exit code 0 only where every layer is ok.
"""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from tirec import frontend
from tirec.config.agent import REPOSITORY
from tirec.training.gpu_check import check

CPU_PYTHON = REPOSITORY / ".venv" / "bin" / "python"


def main() -> None:
    """Prints a line per layer as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--directory", type=Path, default=Path("gpu_check"), help="where the small study is made")
    parser.add_argument("--cpu-python", help="Python of the CPU stages, with Snakemake; default this one, or .venv's")
    parser.add_argument("--on-cpu", action="store_true", help="run verl's trainer without a GPU instead")
    given = parser.parse_args()
    python = given.cpu_python or (sys.executable if find_spec("snakemake") else str(CPU_PYTHON))
    fine = True
    for one in check(given.directory.resolve(), [python, "-m", "snakemake"], on_cpu=given.on_cpu):
        print(f"{one.verdict:8} {one.layer:30} {one.seconds:5.0f} s  {one.said}", flush=True)
        fine &= one.verdict == "ok"
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    frontend.run(main)
