"""The HTML file: a template in the shared layout and style, closed against network, programs and hostile text."""

import base64
import hashlib
from pathlib import Path
from typing import Any

import jinja2

_SHARED = Path(__file__).resolve().parent


def render(folder: Path, **content: Any) -> str:
    """The page of `folder`'s template `page.html`, which extends `layout.html`; equal content gives equal bytes."""
    style = (_SHARED / "style.css").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, _SHARED]),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    policy = f"default-src 'none'; style-src '{_digest(style)}'; base-uri 'none'; form-action 'none'"
    return environment.get_template("page.html").render(style=style, policy=policy, **content)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
