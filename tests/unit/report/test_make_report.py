"""`make report`: a slip of the user's is one line."""

import runpy
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "make_report.py"


def test_an_unknown_profile_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), "--profile", "lokal"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: lokal: no such profile; there are demo, local, slurm\n"


def test_the_second_system_is_part_of_the_report_where_it_was_run(tmp_path: Path) -> None:
    targets = runpy.run_path(str(SCRIPT))["targets"]
    assert targets(tmp_path) == ("report_inputs",)
    table = tmp_path / "results/lacdm/ablations.tsv"
    table.parent.mkdir(parents=True)
    table.write_text("policy\n")
    assert targets(tmp_path) == ("report_inputs", "lacdm")
