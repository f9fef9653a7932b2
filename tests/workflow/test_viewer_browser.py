"""The page of trajectories in a real headless Chromium: filters, stepping, keys, print, and text that attacks it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_page import opened, running_browser
from viewer_study import HOSTILE, HOSTILE_CASE, HOSTILE_NAME, case, write_study

from tirec.agent.cases import open_cases
from tirec.report.viewer.judging import verdict

ROOT = Path(__file__).resolve().parents[2]
CASES = 36
# The lowest contrast of any text with what lies behind it, and that text
CONTRAST = """() => {
  const light = (part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const bright = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let lowest = [21, ""];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script,option,svg")) continue;
    const [one, other] = [bright(parts(getComputedStyle(element).color)), bright(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < lowest[0]) lowest = [ratio, walker.currentNode.data];
  }
  return lowest;
}"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    with running_browser() as started:
        yield started


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory):
    return write_study(tmp_path_factory.mktemp("study"), [case(number) for number in range(CASES)])


def build(files, output: Path, data_class: str) -> Path:
    command = [sys.executable, ROOT / "scripts" / "build_viewer.py", *files.arguments]
    subprocess.run([*command, "--data-class", data_class, "--output", output], check=True, capture_output=True)
    return output


@pytest.fixture(scope="module")
def page_file(files) -> Path:
    return build(files, files.root / "trajectories.html", "synthetic")


@pytest.fixture
def page(browser, page_file) -> Iterator:
    yield from opened(browser, page_file)


def choose(page, **values: str) -> None:
    for key, value in values.items():
        page.select_option(f"#pick-{key}", value)


def rows(page) -> list[str]:
    return page.locator("#list [role=option]").all_inner_texts()


def title(page) -> str:
    return page.inner_text("#case-title")


def visible(page, selector: str) -> list[str]:
    found = page.locator(selector)
    return [found.nth(place).inner_text() for place in range(found.count()) if found.nth(place).is_visible()]


def test_two_models_stand_side_by_side(page):
    assert len(rows(page)) == CASES
    assert page.inner_text("#sample") == f"test split · all {CASES} cases"
    boxes = [page.locator(".panel").nth(place).bounding_box() for place in range(2)]
    assert boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"]
    assert [name.split("\n")[0] for name in visible(page, ".panel h3")] == [
        "A full.seed0 ✗ false negative",
        "B untrained.seed0 – unanswered",
    ]
    choose(page, b="")
    assert page.locator(".panel").count() == 1
    assert "Whether labs speaks for it." in page.inner_text(".panel.a .step >> nth=0")


def test_markup_in_a_record_and_in_a_call_stays_text(page):
    assert title(page) == f"Case {HOSTILE_CASE}"
    assert HOSTILE in page.inner_text(".view")
    assert page.inner_text(".panel.a .observation .headline >> nth=0") == f"ABNORMAL: {HOSTILE}"
    assert page.inner_text(".panel.b .step >> nth=2 >> code") == HOSTILE_NAME
    page.fill("#search", "</script><img src=x")
    assert page.locator("img").count() == 0
    assert page.title() == "Trajectories"
    assert len(rows(page)) == CASES  # the broken player says it everywhere
    choose(page, a="full.seed0", b="")
    assert page.evaluate("document.querySelectorAll('main b, main script, main img').length") == 0


def test_every_error_filter_selects_what_the_verdicts_say(page, files):
    kinds = {"tp": [], "fp": [], "tn": [], "fn": []}
    for one in open_cases(files.episodes):
        kinds[verdict(one.risk, one.label, 0.3)].append(str(one.instance_id))
    for kind, expected in kinds.items():
        choose(page, result=kind)
        assert [row.split(" ")[0] for row in rows(page)] == expected
        assert page.inner_text("#count") == f"{len(expected)} of {CASES} cases"
        assert all(f" {kind.upper()}" in row for row in rows(page))
    choose(page, threshold="half", result="fn")
    halved = [one for one in open_cases(files.episodes) if verdict(one.risk, one.label, 0.5) == "fn"]
    assert len(rows(page)) == len(halved) != len(kinds["fn"])


def test_options_count_the_cases_behind_them(page):
    choose(page, task="revisit:3d")
    assert len(rows(page)) == CASES // 9
    assert page.locator("#pick-task option", has_text="Disposition").inner_text() == "Disposition (12)"
    shown = page.locator("#pick-label option").all_inner_texts()
    assert sum(int(re.search(r"\((\d+)\)\s*$", text)[1]) for text in shown[1:]) == CASES // 9
    page.click("#clear")
    assert len(rows(page)) == CASES


def test_format_faults_and_unanswered_episodes_can_be_chosen(page):
    choose(page, a="no_skills.seed0", fault="is:text_after")
    assert len(rows(page)) == CASES // 4
    assert "text after the closing tag" in page.inner_text(".panel.a .faults")
    assert visible(page, ".panel.a details.raw summary") == ["discarded, after the closing tag"]
    choose(page, a="base.seed0", fault="", result="bad_answer")
    assert len(rows(page)) == CASES // 2
    assert "<answer>likely</answer>" in page.inner_text(".panel.a pre.raw")
    assert "Call budget spent" in page.inner_text(".panel.a")
    choose(page, result="", a="untrained.seed0")
    choose(page, fault="is:unknown_function")
    assert len(rows(page)) == CASES


def test_a_call_that_did_not_run_is_shown_as_it_was_written(page):
    choose(page, a="untrained.seed0")
    assert page.inner_text(".panel.a .step >> nth=2 >> pre.raw").startswith("<tool_call>")
    assert page.locator(".panel.a .step >> nth=1 >> pre.raw").count() == 0
    assert page.inner_text(".panel.a .step >> nth=3 >> code") == "no readable call"


def test_wrong_numbers_can_be_chosen_and_stand_at_their_step(page):
    choose(page, a="base.seed0", numbers="is:wrong_direction")
    assert len(rows(page)) == CASES * 2 // 3
    note = page.inner_text(".panel.a .step >> nth=12 >> .fault")
    assert note.startswith("! 121: wrong direction (“The heart rate of 121 /min is normal")
    assert "1 of 1 stated number wrong" in page.inner_text(".panel.a .facts")
    choose(page, numbers="is:correct")
    assert len(rows(page)) == CASES // 3


def test_agreement_compares_the_two_models_and_the_teacher(page):
    choose(page, b="no_skills.seed0", agreement="a_right")
    only_a = rows(page)
    assert only_a and all("✓" in row.split("B ")[0] and "✗" in row.split("B ")[1] for row in only_a)
    page.keyboard.press("x")
    choose(page, agreement="b_right")
    assert len(rows(page)) == len(only_a)
    choose(page, agreement="differ:teacher")
    assert "teacher" in page.locator("#pick-agreement option:checked").inner_text()


def test_keys_walk_through_cases_and_steps(page):
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert title(page) == "Case 101"
    assert page.get_attribute("#list", "aria-activedescendant") == "row-101"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    current = page.locator('.panel [aria-current="step"]')
    assert [current.nth(place).get_attribute("data-step") for place in range(2)] == ["2", "2"]
    tops = [current.nth(place).bounding_box()["y"] for place in range(2)]
    assert abs(tops[0] - tops[1]) < 1 and 0 < tops[0] < 768
    page.keyboard.press("ArrowLeft")
    assert current.first.get_attribute("data-step") == "1"
    page.focus("#list")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert title(page) == f"Case {HOSTILE_CASE + CASES - 2}"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "case-title"


def test_keys_do_nothing_while_typing_and_help_opens(page):
    page.keyboard.press("/")
    page.keyboard.type("jjjs?x")
    assert page.input_value("#search") == "jjjs?x"
    assert visible(page, "#list .nothing") == ["No case fits these filters."]
    page.fill("#search", "case 107")
    assert title(page) == "Case 107" and len(rows(page)) == 1
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#about").is_visible() and "validation" in page.inner_text("#about")
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    assert not page.locator("#about").is_visible() and title(page) == "Case 107"


def test_step_by_step_hides_the_future_and_the_ending(page):
    choose(page, b="no_skills.seed0")
    page.keyboard.press("s")
    assert visible(page, ".step") == [] and visible(page, ".badge") == []
    assert visible(page, ".later") == ["hidden until the end"] * 2
    assert not page.locator("#list .ending").first.is_visible()
    page.keyboard.press("ArrowRight")
    assert len(visible(page, ".panel.a .step")) == 1 and visible(page, ".event") == []
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    assert len(visible(page, ".panel.a .step")) == 6
    assert visible(page, ".event") == ["● Admitted"] and visible(page, ".later") == []
    page.keyboard.press("s")
    assert page.get_attribute("#blind", "aria-pressed") == "false"


def test_the_address_brings_back_case_models_and_filters(browser, page, page_file):
    choose(page, a="base.seed0", b="full.seed0", task="decompensation", order="calls")
    page.keyboard.press("j")
    address = page.evaluate("location.hash")
    for again in opened(browser, page_file, address):
        assert title(again) == title(page) and rows(again) == rows(page)
        assert again.input_value("#pick-a") == "base.seed0"
    for stray in opened(browser, page_file, "#case=7&a=nobody&task=%3Cb%3E&order=constructor"):
        assert stray.input_value("#pick-a") == "full.seed0" and title(stray) == f"Case {HOSTILE_CASE}"


def test_the_reference_set_shows_what_was_read_and_what_was_missed(page):
    choose(page, b="no_skills.seed0")
    page.keyboard.press("j")
    assert visible(page, ".known .function") == ["labs ✓ A", "orders ✓ A", "imaging ✓ A", "history ✓ A"]
    assert visible(page, ".panel.b .unread summary") == ["labs", "orders", "imaging", "history"]
    page.click(".panel.b .unread summary >> nth=0")
    assert "labs of case 101" in page.inner_text(".panel.b .unread >> nth=0")
    assert "nothing recorded" in page.inner_text(".panel.a .step >> nth=2")
    assert "source rows 1-2, 900" in page.inner_text(".panel.a .step >> nth=0")


def test_it_fits_a_laptop_and_every_text_can_be_read(page):
    for _ in range(3):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth")
        ratio, text = page.evaluate(CONTRAST)
        assert ratio >= 4.5, text
        page.keyboard.press("j")
    unnamed = "[...document.querySelectorAll('select, input')].filter((field) => !field.labels.length).length"
    assert page.evaluate(unnamed) == 0


def test_it_prints_one_case_with_everything_unfolded(page):
    choose(page, b="no_skills.seed0")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert not page.locator(".side").is_visible() and page.locator(".banner").is_visible()
    assert all(page.locator(".unread .lines").nth(place).is_visible() for place in range(4))
    assert visible(page, ".prompt") == []
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert not page.locator(".unread .lines").first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_a_page_of_credentialed_data_says_so_on_top(browser, files):
    restricted = build(files, files.root / "restricted" / "trajectories.html", "credentialed")
    for page in opened(browser, restricted):
        banner = page.locator(".banner")
        assert "Restricted: credentialed patient data" in banner.inner_text() and banner.bounding_box()["y"] == 0
        page.emulate_media(media="print")
        assert banner.is_visible()


def test_a_narrow_window_stacks_the_models(browser, page_file):
    for page in opened(browser, page_file, width=700, height=900):
        boxes = [page.locator(".panel").nth(place).bounding_box() for place in range(2)]
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
