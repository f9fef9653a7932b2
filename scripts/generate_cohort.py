"""Writes a synthetic emergency department in MC-MED's format, with the planted truth beside it."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from tirec import frontend
from tirec.config.base import validated
from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic import generate


def main() -> None:
    """Writes the eight tables, the six split files, the truth and, last, the marker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, help="visits to write, 300 to 900,000 (MC-MED has 118,385)")
    parser.add_argument("--seed", type=int, help="the same seed and size give the same bytes")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument("--settings", help="the configuration section `synthetic`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    config = frontend.read_settings(SyntheticConfig, given.settings)
    chosen = {name: getattr(given, name) for name in ("visits", "seed") if getattr(given, name) is not None}
    config = validated(SyntheticConfig, config.model_dump() | chosen)
    with tqdm(total=config.visits, unit="visit", mininterval=5, file=sys.stderr) as bar:
        generate(config, given.output, bar.update)


if __name__ == "__main__":
    frontend.run(main)
