"""Writes a synthetic emergency department in MC-MED's format, with the planted truth beside it."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from tirec.config.synthetic import SyntheticConfig
from tirec.errors import TirecError
from tirec.records.synthetic import generate


def main() -> int:
    """Reads the command line and writes the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--visits", type=int, default=10_000, help="visits to write, 300 to 900,000 (MC-MED has 118,385)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same bytes")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder to write")
    arguments = parser.parse_args()
    try:
        config = SyntheticConfig(visits=arguments.visits, seed=arguments.seed)
        with tqdm(total=config.visits, unit="visit", mininterval=5, file=sys.stderr) as bar:
            generate(config, arguments.output, bar.update)
    except (TirecError, ValueError, OSError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
