"""The file itself: self-contained, closed by its own policy, inert against record text, and where it may lie."""

import base64
import hashlib
import re
import runpy
import stat
import sys
from pathlib import Path

import pytest
from viewer_study import HOSTILE, case, write_study

from tirec.agent.cases import open_cases
from tirec.config.report import ReportConfig
from tirec.errors import DataError
from tirec.report.viewer.page import packed, render, unpacked, write
from tirec.report.viewer.payload import Models, named, payload

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "build_viewer.py"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict:
    files = write_study(tmp_path_factory.mktemp("study"), [case(number) for number in range(6)])
    return payload(open_cases(files.episodes), Models(named(files.trajectories)), ReportConfig(), "synthetic")


def embedded(page: str) -> str:
    return re.search(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', page)[1]


def test_the_page_holds_its_content_and_equal_content_gives_equal_bytes(content):
    page = render(content)
    assert unpacked(embedded(page)) == content
    assert page == render(content)


def test_text_survives_packing_whatever_it_holds():
    odd = {"texts": ["\x00 \u2028 \ud800 é 🩺 </script>", HOSTILE]}
    assert unpacked(packed(odd)) == odd


def test_record_text_stands_nowhere_outside_the_packed_content(content):
    page = render(content)
    assert any(HOSTILE in text for text in content["texts"])
    assert "onerror" not in page and "taken" not in page
    assert page.count("</script>") == 2


def test_nothing_is_fetched(content):
    shell = render(content).replace(embedded(render(content)), "")
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", shell)
    assert not re.findall(r"\b(?:src|href)\s*=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|sendBeacon", shell)


def test_nothing_turns_text_into_markup():
    program = "".join(path.read_text() for path in SCRIPT.parents[1].glob("workflow/tirec/report/viewer/*.js"))
    for door in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "DOMParser"):
        assert door not in program


def test_the_policy_allows_exactly_the_script_and_style_of_the_page(content):
    page = render(content)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    allowed = {part.split(" ")[0]: part.split(" ")[1] for part in policy.split("; ")}
    for kind, pattern in (("script-src", r"<script>(.*?)</script>"), ("style-src", r"<style>(.*?)</style>")):
        digest = hashlib.sha256(re.search(pattern, page, re.DOTALL)[1].encode()).digest()
        assert allowed[kind] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert (allowed["default-src"], allowed["require-trusted-types-for"]) == ("'none'", "'script'")


@pytest.mark.parametrize(
    ("data_class", "said"),
    [
        ("credentialed", "Restricted: credentialed patient data"),
        ("synthetic", "Nobody shown here exists"),
        ("open", "Open data"),
    ],
)
def test_the_page_says_on_top_whose_data_it_shows(content, data_class, said):
    page = render({**content, "data_class": data_class})
    assert said in page.split("<header")[0]


def test_credentialed_data_stays_in_a_closed_folder(tmp_path):
    with pytest.raises(DataError, match="a folder named restricted"):
        write("page", tmp_path / "trajectories.html", "credentialed")
    assert not (tmp_path / "trajectories.html").exists()
    folder = tmp_path / "restricted"
    folder.mkdir(mode=0o755)
    write("page", folder / "trajectories.html", "credentialed")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "trajectories.html").stat().st_mode) == 0o600


def run(*arguments: object) -> int:
    given, sys.argv = sys.argv, [str(SCRIPT), *map(str, arguments)]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        sys.argv = given
    return 0


def test_the_script_builds_the_page_from_files(tmp_path, capsys):
    files = write_study(tmp_path / "study", [case(number) for number in range(9)])
    output = tmp_path / "trajectories.html"
    settings = '{"viewer_cases": 5, "viewer_seed": 3}'
    arguments = [*files.arguments, "--settings", settings, "--output", output]
    assert run(*arguments, "--data-class", "synthetic") == 0
    content = unpacked(embedded(output.read_text()))
    assert content["sample"] == {"shown": 5, "of": 9, "seed": 3}
    assert content["thresholds"]["teacher"]["revisit 3d"] == [0.6, "validation B"]
    assert content["scorers"] == ["teacher"]
    first = output.read_bytes()
    assert run(*arguments, "--data-class", "synthetic") == 0
    assert output.read_bytes() == first
    output.unlink()
    assert run(*arguments) == 2
    assert "restricted" in capsys.readouterr().err and not output.exists()
