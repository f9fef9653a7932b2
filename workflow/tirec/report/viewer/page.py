"""The HTML file: template, style, program and content in one, closed against the network and hostile text."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from tirec.errors import DataError
from tirec.provenance import write_text

RESTRICTED = "restricted"
"""Name of the only folder that may hold a page of credentialed data."""
SCRIPTS = ("data", "words", "elements", "filters", "scale", "episode", "case", "list", "main")
"""Parts of the program in the order in which they are joined."""
_FOLDER = Path(__file__).resolve().parent


def render(content: Mapping[str, Any]) -> str:
    """The page; equal content gives equal bytes."""
    script = "\n".join(["(() => {", '"use strict";', *(_part(f"{name}.js") for name in SCRIPTS), "})();"])
    style = _part("page.css")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER), undefined=jinja2.StrictUndefined, autoescape=True
    )
    return environment.get_template("page.html").render(
        policy=security_policy(script, style),
        style=style,
        script=script,
        data=packed(content),
        data_class=content["data_class"],
        title=content["title"],
        diagnoses=bool(content["conditions"]),
    )


def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def security_policy(script: str, style: str) -> str:
    """Nothing may be fetched, only this script and style run, and no text may become markup or code."""
    sources = {"script-src": _digest(script), "style-src": _digest(style)}
    allowed = [f"{kind} '{digest}'" for kind, digest in sources.items()]
    closed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"]
    return "; ".join([*closed, *allowed])


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def packed(content: Mapping[str, Any]) -> str:
    """Content as base64 of gzipped JSON: letters that cannot end a script element, whatever a record says."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)).decode("ascii")


def unpacked(data: str) -> dict[str, Any]:
    """The content of `packed` text."""
    return json.loads(gzip.decompress(base64.b64decode(data)))


def write(page: str, output: Path, data_class: str) -> None:
    """Writes the page; one of credentialed data only into a folder `restricted`, which is closed to other users.

    Raises DataError for credentialed data anywhere else.
    """
    if data_class == "credentialed":
        _close(output.parent)
    write_text(page, output)
    if data_class == "credentialed":
        output.chmod(0o600)


def _close(folder: Path) -> None:
    if folder.resolve().name != RESTRICTED:
        raise DataError(f"a page of credentialed data belongs into a folder named {RESTRICTED}, not {folder}")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
