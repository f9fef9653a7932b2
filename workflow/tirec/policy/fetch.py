"""Fetching the base model once, at a pinned revision: the only step of a study that needs a network."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from tirec.config.base import Model
from tirec.errors import ConfigError, DataError
from tirec.provenance import file_hash, write_json

WANTED = ("*.json", "*.safetensors", "*.txt", "*.jinja", "LICENSE*")
"""What a causal language model needs in its folder; weights in pickles are never fetched."""


class Fetched(Model):
    """What was fetched and what its files looked like then; lies beside the folder as {folder}.json."""

    repository: str
    """Name on the hub."""
    revision: str
    """Commit that was fetched."""
    files: Mapping[str, str]
    """SHA-256 of every file by its name in the folder."""


def record_of(folder: Path) -> Path:
    """Where the checksums of a model folder lie."""
    return folder.with_name(f"{folder.name}.json")


def fetch(repository: str, revision: str, folder: Path) -> bool:
    """Makes sure that `folder` holds the revision; whether it was fetched (else it was there and is unchanged).

    Raises DataError when the hub cannot be reached or a file has changed since it was fetched, ConfigError when the
    folder holds something else.
    """
    if folder.exists():
        verify(folder, repository, revision)
        return False
    partial = folder.with_name(f".{folder.name}.partial")
    _download(repository, revision, partial)
    if not (partial / "config.json").is_file():
        raise DataError(f"{repository}: no config.json at revision {revision}, so it is no model")
    adopt(partial, repository, revision, record_of(folder))
    partial.replace(folder)
    return True


def verify(folder: Path, repository: str, revision: str) -> None:
    """Raises unless the folder holds this revision, as it was fetched."""
    if not folder.is_dir():
        raise DataError(f"{folder}: no base model there; `make model` fetches it")
    try:
        told = json.loads(record_of(folder).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"{folder}: is there, but no {record_of(folder).name} beside it says what it is; "
            "record it as it is with --adopt, or move it away and fetch"
        ) from None
    fetched = Fetched.model_validate(told)
    if (fetched.repository, fetched.revision) != (repository, revision):
        raise ConfigError(f"{folder}: holds {fetched.repository} at {fetched.revision}; move it away to fetch another")
    for name, digest in fetched.files.items():
        if not (folder / name).is_file() or file_hash(folder / name) != digest:
            raise DataError(f"{folder / name}: is not the file that was fetched; delete the folder and fetch again")


def adopt(folder: Path, repository: str, revision: str, record: Path) -> None:
    """Records the checksums of a folder as it is now."""
    files = {str(path.relative_to(folder)): file_hash(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    write_json(Fetched(repository=repository, revision=revision, files=files).model_dump(mode="json"), record)


def _download(repository: str, revision: str, folder: Path) -> None:
    from httpx import HTTPError
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OfflineModeIsEnabled

    failures = (HTTPError, HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError)
    try:
        snapshot_download(repository, revision=revision, local_dir=folder, allow_patterns=list(WANTED))
    except failures as fault:
        told = str(fault.__cause__ or fault).splitlines()[0]
        raise DataError(
            f"{repository} at {revision} could not be fetched ({told}); without a network here, fetch it elsewhere and "
            "copy the folder with the .json beside it"
        ) from None
    shutil.rmtree(folder / ".cache", ignore_errors=True)
