"""Running a script of scripts/ in this process, because importing polars anew for each takes longer than the script."""

import io
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def run_script(name: str, *arguments: str | Path) -> tuple[int, str]:
    """Exit code and stderr; an exception that reaches the user as a traceback is raised here too."""
    said, code = io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(said), redirect_stdout(io.StringIO()):
        patch.setattr(sys, "argv", [name, *map(str, arguments)])
        try:
            runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, said.getvalue()
