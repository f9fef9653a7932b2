"""The bytes that were read: size, time and SHA-256 of every raw file, checked where SHA256SUMS.txt lists it."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tirec.errors import DataError
from tirec.provenance import file_hash, write_json

SUMS = "SHA256SUMS.txt"
CACHE = ".raw_files.json"

Entry = dict[str, int | str]


def manifest(files: Iterable[Path], cache: Path) -> dict[str, Entry]:
    """Size, time and hash by file name; a file whose size and time are those of `cache` is not read again."""
    known = _remembered(cache)
    paths = list(files)
    found = {path.name: _entry(path, known.get(str(path.resolve()))) for path in paths}
    write_json({str(path.resolve()): found[path.name] for path in paths}, cache)
    return found


def _remembered(cache: Path) -> dict[str, Entry]:
    """What the cache holds; one that cannot be read is as good as none, because it only saves reading."""
    try:
        content = json.loads(cache.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    whole = {"size", "mtime_ns", "sha256"}
    entries = content.items() if isinstance(content, dict) else ()
    return {name: entry for name, entry in entries if isinstance(entry, dict) and entry.keys() == whole}


def _entry(path: Path, known: Entry | None) -> Entry:
    status = path.stat()
    if known and (known["size"], known["mtime_ns"]) == (status.st_size, status.st_mtime_ns):
        return known
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": file_hash(path)}


def verify(root: Path, folder: Path, found: Mapping[str, Entry]) -> int:
    """Compares the hashes with the SHA256SUMS.txt of the folder or the root; returns how many were listed."""
    listed = _listed(root, folder)
    for name, entry in found.items():
        if name in listed and listed[name] != entry["sha256"]:
            raise DataError(f"{folder / name}: its SHA-256 is not the one that {SUMS} lists; get the file again")
    return sum(name in listed for name in found)


def _listed(root: Path, folder: Path) -> dict[str, str]:
    for place in (root, folder):
        if (place / SUMS).is_file():
            lines = _lines(place / SUMS)
            pairs = (line.split(maxsplit=1) for line in lines if line.strip())
            within = "" if place == folder else f"{folder.name}/"
            return {_name(pair[1]).removeprefix(within): pair[0].lower() for pair in pairs if len(pair) == 2}
    return {}


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not text; get it again, or remove it to read the files unchecked") from None


def _name(listed: str) -> str:
    return listed.strip().removeprefix("*").removeprefix("./")
