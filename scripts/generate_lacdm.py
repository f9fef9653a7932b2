"""Writes a synthetic MIMIC-CDM folder in the official format, with the planted truth beside it."""

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from tirec import frontend
from tirec.config.base import validated
from tirec.config.lacdm import CdmSyntheticConfig, SwitchesConfig
from tirec.lacdm.menu import read_menu
from tirec.lacdm.synthetic import generate


def main() -> None:
    """Writes the CSV files, the labels, the checksums and, last, the marker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--menu", type=Path, required=True, help="menu.yaml, whose panels the mapping file names")
    parser.add_argument("--cases", type=int, help="admissions to write (MIMIC-CDM has 2,400)")
    parser.add_argument("--seed", type=int, help="the same seed and size give the same bytes")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument("--settings", help="the configuration section `lacdm.synthetic`: JSON, or a YAML or JSON file")
    given = parser.parse_args()
    config = frontend.read_settings(CdmSyntheticConfig, given.settings)
    chosen = {name: getattr(given, name) for name in ("cases", "seed") if getattr(given, name) is not None}
    config = validated(CdmSyntheticConfig, config.model_dump() | chosen)
    menu = read_menu(given.menu, SwitchesConfig())
    with tqdm(total=config.cases, unit="case", mininterval=5, file=sys.stderr) as bar:
        generate(config, menu, given.output, bar.update)


if __name__ == "__main__":
    frontend.run(main)
