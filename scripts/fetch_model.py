"""Fetches the base model once, at its pinned revision, with checksums; there already, it is checked against them."""

import argparse
from pathlib import Path

from tirec import frontend
from tirec.config.study import Study
from tirec.errors import ConfigError
from tirec.policy.fetch import adopt, fetch, record_of


def main() -> None:
    """Makes the folder model.base, and {folder}.json beside it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configfile", nargs="*", default=[], type=Path, help="your own files over config/config.yaml")
    parser.add_argument("--adopt", action="store_true", help="record the folder that is there as it is; fetch nothing")
    given = parser.parse_args()
    model = Study.read(given.configfile).model
    if model.kind != "hf" or not model.base:
        raise ConfigError("model: this study makes its own base; there is nothing to fetch")
    folder, told = Path(model.base), f"{model.repository} at {model.revision}"
    if given.adopt:
        adopt(folder, model.repository, model.revision, record_of(folder))
        print(f"{folder}: recorded as {told}")
    elif fetch(model.repository, model.revision, folder):
        print(f"{folder}: fetched {told}")
    else:
        print(f"{folder}: is {told}, every file as it was fetched")


if __name__ == "__main__":
    frontend.run(main)
