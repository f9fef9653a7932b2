"""A real headless Chromium without a network, for the pages made here.

TIREC_CHROMIUM names the browser (default: `chromium` on the PATH). Without one the tests are skipped, unless the
variable is set.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium() -> str:
    named = os.environ.get("TIREC_CHROMIUM")
    found = named or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("no Chromium: install the package chromium or set TIREC_CHROMIUM")
    return found


@contextmanager
def running_browser() -> Iterator:
    """The browser, closed with the block."""
    path = chromium()
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield opened
        opened.close()


def opened(browser, path: Path, address: str = "", width: int = 1366, height: int = 768) -> Iterator:
    """A page without network whose every complaint and request fails the test."""
    context = browser.new_context(viewport={"width": width, "height": height}, offline=True)
    shown, complaints = context.new_page(), []
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("pageerror", lambda fault: complaints.append(str(fault)))
    shown.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    shown.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
    shown.goto(path.as_uri() + address)
    shown.wait_for_selector("#list [role=option]")
    yield shown
    context.close()
    assert complaints == []
