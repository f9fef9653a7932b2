"""Folders of model files that appear whole, and share their bytes where they are equal."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path


def replace_folder(target: Path, fill: Callable[[Path], object]) -> None:
    """Fills a temporary folder beside `target` and puts it in its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.partial")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    fill(temporary)
    shutil.rmtree(target, ignore_errors=True)
    temporary.replace(target)


def link_folder(source: Path, target: Path) -> None:
    """Makes `target` a folder of hard links to the files of `source` (copies where links cannot be made)."""
    replace_folder(target, lambda temporary: _link_all(source, temporary))


def _link_all(source: Path, target: Path) -> None:
    for path in source.iterdir():
        _link(path, target / path.name)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
