"""The page of LA-CDM's dialogues in a real headless Chromium: the shared viewer with diagnoses instead of risks."""

from collections.abc import Iterator
from pathlib import Path

import cdm_policy as tiny
import polars as pl
import pytest
from browser_page import opened, running_browser
from front_ends import run_script

from tirec.agent import trajectories
from tirec.agent.environment import Outcome
from tirec.agent.episode import Call, EpisodeRecord, Finish, Reply, Turn
from tirec.agent.trajectories import Trajectory
from tirec.lacdm.cases import CdmCase
from tirec.lacdm.predictions import PREDICTIONS, write_predictions

pytestmark = pytest.mark.slow
CASES = 8
FIRST_EXAM, UNANSWERED = "Physical Examination", 5
HOSTILE = "<script>alert(1)</script> & more"


def dialogue(model: str, case: CdmCase, answer: str | None) -> Trajectory:
    """One test, then a diagnosis; without an answer the dialogue ends after the test."""
    seen = Reply(f"{case.texts[FIRST_EXAM]}\n{HOSTILE}", answer_turn=False)
    turns = [Turn(f"Thought: unclear. Action: {FIRST_EXAM}", "", (), seen)]
    if answer:
        turns.append(Turn(f"Thought: clear. Diagnosis: {answer}", "", (), None))
    call = Call(FIRST_EXAM, Outcome.OK, case.rows[FIRST_EXAM], 0)
    finish = Finish.ANSWERED if answer else Finish.NO_ANSWER
    record = EpisodeRecord(tuple(turns), (call,), finish, p=None, p_lenient=None)
    prompt = ({"role": "user", "content": case.history},)
    return Trajectory(model, case.split, case.case_id, "diagnosis", case.condition, prompt, record, None)


def prediction(case: CdmCase, answer: str | None) -> dict[str, object]:
    known = {name: getattr(case, name) for name in ("case_id", "hadm_id", "patient", "split", "condition")}
    ended = {"predicted": answer, "tests": [FIRST_EXAM], "requested": [FIRST_EXAM], "cost": 300.0}
    return dict.fromkeys(PREDICTIONS) | known | ended | {"finish": "answered" if answer else "turns"}


def build(folder: Path, output: Path, data_class: str) -> None:
    """`full` is always right; `zero_shot` says appendicitis, and nothing about one case."""
    cases = list(tiny.write_cases(folder / "test.arrow", "test", CASES))
    said = {
        "full.seed0": {case.case_id: case.condition for case in cases},
        "zero_shot": {case.case_id: None if case.case_id == UNANSWERED else "appendicitis" for case in cases},
    }
    paths: dict[str, list[Path]] = {"trajectories": [], "predictions": []}
    for model, answers in said.items():
        paths["trajectories"].append(folder / "trajectories" / model / "test.jsonl.zst")
        paths["predictions"].append(folder / "predictions" / model / "test.parquet")
        trajectories.write((dialogue(model, case, answers[case.case_id]) for case in cases), paths["trajectories"][-1])
        rows = [prediction(case, answers[case.case_id]) for case in cases]
        write_predictions(pl.DataFrame(rows, schema=PREDICTIONS), paths["predictions"][-1])
    listed = [str(word) for name, files in paths.items() for word in (f"--{name}", *files)]
    told = ["--episodes", folder / "test.arrow", "--rules", tiny.RULES.model_dump_json(), "--data-class", data_class]
    code, printed = run_script("build_lacdm_viewer", *listed, *map(str, told), "--output", str(output))
    assert code == 0, printed


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lacdm")
    build(folder, folder / "trajectories.html", "synthetic")
    return folder / "trajectories.html"


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with running_browser() as started:
        yield started


@pytest.fixture
def page(browser, page_file: Path) -> Iterator:
    yield from opened(browser, page_file)


def rows(page) -> list[str]:
    return page.locator("#list [role=option]").all_inner_texts()


def test_a_row_names_condition_and_both_diagnoses(page) -> None:
    assert len(rows(page)) == CASES
    second = rows(page)[1]
    assert "cholecystitis" in second
    assert "A cholecystitis ✓ right" in second
    assert "B appendicitis ✗ wrong" in second
    assert "B no answer" in rows(page)[UNANSWERED]


def test_filters_speak_of_diagnoses_not_of_risks(page) -> None:
    labels = page.locator("#filters label").all_inner_texts()
    assert "Diagnosis of A" in labels
    assert not {"Task and horizon", "Flagged at threshold", "Numbers A states"} & set(labels)
    assert page.locator("#pick-order option").all_inner_texts() == ["case number", "most calls of A first"]
    page.select_option("#pick-label", "pancreatitis")
    assert len(rows(page)) == CASES / 4
    page.select_option("#pick-label", "")
    page.select_option("#pick-agreement", "a_right")
    assert len(rows(page)) == CASES - CASES / 4
    page.select_option("#pick-agreement", "")
    page.keyboard.press("x")  # A is now zero_shot
    page.select_option("#pick-result", "unanswered")
    assert [row.split(" ")[0] for row in rows(page)] == [str(UNANSWERED)]


def test_step_by_step_does_not_tell_the_condition(page) -> None:
    page.keyboard.press("s")
    page.wait_for_selector("body.blind")
    shown = page.inner_text("#case")
    assert "appendicitis" not in shown
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert "appendicitis" in page.inner_text("#case")


def test_cost_and_source_are_said_and_a_report_stays_text(page) -> None:
    shown = page.inner_text("#case")
    assert "300 USD" in shown
    assert "Answer: appendicitis" in shown
    assert HOSTILE in shown
    assert "source row 0" in shown


def test_credentialed_dialogues_go_into_a_closed_folder(tmp_path: Path) -> None:
    output = tmp_path / "restricted" / "trajectories.html"
    build(tmp_path, output, "credentialed")
    assert "Restricted: credentialed patient data" in output.read_text()
    assert output.stat().st_mode & 0o077 == 0
    with pytest.raises(AssertionError, match="belongs into a folder named restricted"):
        build(tmp_path, tmp_path / "open.html", "credentialed")
