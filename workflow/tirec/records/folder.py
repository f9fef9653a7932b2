"""Where the records are: the folder, its layout, the files of each table, and what class of data they are."""

import os
from pathlib import Path

from tirec.config.data import DataClass, DataConfig
from tirec.errors import ConfigError, DataError
from tirec.records.schema import SPECS

MARKER = "SYNTHETIC.json"
"""The file by which the generator marks a folder as made up."""
CREDENTIALED_LICENCE = "credentialed health data license"
"""In PhysioNet's licence file of every data set under credentialed access."""


def locate_root(config: DataConfig) -> Path:
    """The records folder of the configuration or, where that is empty, of MCMED_ROOT."""
    named = config.root or os.environ.get("MCMED_ROOT")
    if not named:
        raise ConfigError("no records folder: set data.root, or MCMED_ROOT, to the folder that holds visits.csv")
    root = Path(named).expanduser()
    if not root.is_dir():
        raise ConfigError(f"{root}: this records folder does not exist; set data.root or MCMED_ROOT to it")
    return root


def data_folder(root: Path) -> Path:
    """`root` itself or `root/data`, whichever holds visits.csv or visits.csv.gz."""
    for folder in (root, root / "data"):
        if any((folder / f"visits.csv{ending}").is_file() for ending in ("", ".gz")):
            return folder
    raise DataError(f"{root}: neither this folder nor its data/ holds visits.csv or visits.csv.gz")


def source_file(folder: Path, name: str) -> Path:
    """The file `name.csv` or `name.csv.gz`; both at once would leave open which one is meant."""
    found = [path for ending in ("", ".gz") if (path := folder / f"{name}.csv{ending}").is_file()]
    if len(found) == 2:
        raise DataError(f"{found[0]}: stands beside {found[1].name}; keep one of them")
    if not found:
        raise DataError(f"{folder / name}.csv: this file is missing (nor is there a .csv.gz)")
    return found[0]


def table_files(folder: Path) -> dict[str, Path]:
    """The file of each of the eight tables."""
    return {name: source_file(folder, name) for name in SPECS}


def data_class(root: Path, configured: DataClass = "credentialed") -> DataClass:
    """`credentialed` where the licence beside the records says so, `synthetic` where the generator marked the folder,
    else what the configuration says."""
    if any(_licensed(folder / "LICENSE.txt") for folder in (root, root / "data", root.resolve().parent)):
        return "credentialed"
    marked = any((folder / MARKER).is_file() for folder in (root, root / "data"))
    return "synthetic" if marked else configured


def _licensed(licence: Path) -> bool:
    """Whether a licence file is PhysioNet's for credentialed access."""
    return licence.is_file() and CREDENTIALED_LICENCE in licence.read_text(encoding="utf-8", errors="replace").lower()
