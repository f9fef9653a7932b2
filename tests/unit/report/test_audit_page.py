"""The audit page: complete, closed, and without small counts of credentialed data."""

import re
import runpy
import sys
from pathlib import Path

import polars as pl
import pytest

from tirec.cohort import decompensation, disposition, revisit
from tirec.cohort.population import common_exclusions
from tirec.config.cohort import INSTANCE_SETS, SPLITS, CohortConfig
from tirec.errors import DataError
from tirec.report.audit_page import Sources, audit_page
from tirec.report.audit_page.words import FLAGS, REASONS

INGEST = [
    ("folder", "data class", "synthetic"),
    ("folder", "files checked against SHA256SUMS.txt", "0"),
    ("visits", "rows read", "5003"),
    ("visits", "rows kept", "5000"),
    ("visits", "dropped: duplicate", "2"),
    ("visits", "set aside: Age is not a whole number", "1"),
    ("visits", "column not read", "Shoe_size"),
    ("visits", "visits", "5000 (MC-MED 1.0: 118385)"),
    ("visits", "roomed before arrival", "4 of 5000"),
    ("visits", "value of Gender: F", "4997"),
    ("visits", "value of Gender: <script>alert(1)</script>", "3"),
    ("visits", "never seen value of Gender: <script>alert(1)</script>", "3"),
    ("visits", "missing share of cc", "0.0001"),
    ("visits", "missing share of csn", "0.0000"),
    ("visits", "range of departure_s", "60 | 120 | 7200 | 36000 | 86400"),
    ("numerics", "rows of Monitor HR", "70000"),
    ("numerics", "impossible values of Monitor HR", "12"),
    ("numerics", "range of Monitor HR", "0 | 50 | 80 | 140 | 220"),
    ("rads", "made from", "nothing: no imaging"),
]


def sources(data_class: str = "synthetic", **exclusions: int) -> Sources:
    """Five tables of 5,000 visits; `exclusions` are the reasons of every setting, the others are included."""
    ingest = [(table, check, data_class if check == "data class" else value) for table, check, value in INGEST]
    fates = exclusions | {"included": 5000 - sum(exclusions.values())}
    rows = [(task, setting, reason, n) for task, setting in INSTANCE_SETS for reason, n in fates.items()]
    rates = [
        (task, setting, split, n, n_pos)
        for task, setting in INSTANCE_SETS
        for split, n, n_pos in zip(SPLITS, (3000, 400, 300), (700, 7, 0), strict=True)
    ]
    counts = {f"{who}_{split}": n for who, size in (("visits", 10), ("patients", 1)) for split, n in
              zip(SPLITS, (390 * size, 55 * size, 9 * size), strict=True)}  # fmt: skip
    return Sources(
        ingest=pl.DataFrame(ingest, schema=["table", "check", "value"], orient="row"),
        splits=pl.DataFrame({"check": [*counts, "visits_in_no_split_file"], "n": [*counts.values(), 3]}),
        exclusions=pl.DataFrame(rows, schema=["task", "setting", "reason", "n"], orient="row"),
        prevalence=pl.DataFrame(rates, schema=["task", "setting", "split", "n", "n_pos"], orient="row").with_columns(
            prevalence=pl.col("n_pos") / pl.col("n")
        ),
        flags=pl.DataFrame([("revisit", "3d", "left_against_advice", 8)], schema=["task", "setting", "flag", "n"],
                           orient="row"),
    )  # fmt: skip


def text_of(page: str) -> str:
    return re.sub(r"<[^>]+>", " ", page[page.index("<body") :])


def test_every_reason_and_flag_is_explained():
    config = CohortConfig()
    common = {reason for reason, _ in common_exclusions(config)}
    asked = {
        "disposition": {reason for reason, _ in disposition._exclusions(config.disposition, 3600)},
        "decompensation": {reason for reason, _ in decompensation._exclusions(config.decompensation)}
        | {"not_roomed", "not_observed_in_horizon"},
        "revisit": {reason for reason, _ in revisit._exclusions()},
    }
    assert {task: set(words) for task, words in REASONS.items()} == {task: common | own for task, own in asked.items()}
    assert set(FLAGS) == {*disposition.FLAGS, *decompensation.FLAGS, *revisit.FLAGS}


def test_what_is_read_is_shown():
    said = text_of(audit_page(sources(left_without_being_seen=100, not_in_a_split=50)))
    for part in ("5,003", "5,000", "2 dropped: duplicate", "left without being seen", "− 100", "4,850", "23.3%",
                 "Shoe_size", "70,000", "&lt;0.1 %", "Made from", "nothing: no imaging"):  # fmt: skip
        assert part in said, part
    assert "departure (minutes)" in said and "1,440" in said
    assert said.index("in none of the split files") < said.index("left without being seen")


def test_what_stands_out_is_said_first():
    page = audit_page(sources())
    first = page[page.index("Look at these first") : page.index('id="files"')]
    assert "visits: rows that could not be read: 1 (Age is not a whole number)" in first
    assert "Gender holds values never seen before" in first
    assert "Disposition, 1 hour: one class only in test" in first


def test_the_page_loads_nothing_and_runs_nothing():
    page = audit_page(sources())
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")
    assert not re.search(r"\b(src|href)=\"(?!#)", page) and "default-src &#39;none&#39;" in page
    assert "&lt;script&gt;alert(1)" in page
    assert page == audit_page(sources())


def test_small_counts_of_credentialed_data_are_not_shown():
    page = audit_page(sources("credentialed", left_without_being_seen=100, died_in_ed=4))
    counts = page[page.index('id="files"') : page.index('id="tables"')]
    cells = re.findall(r">\s*(?:− )?([0-9,]+)(?: dropped| set aside|\s*<)", counts)
    assert not {int(cell.replace(",", "")) for cell in cells} & set(range(1, 11))
    assert "&lt;11" in page and "− 4" not in page and "all but a few" in page


def test_a_single_small_count_cannot_be_worked_out():
    said = text_of(audit_page(sources("credentialed", left_without_being_seen=100, died_in_ed=4)))
    assert "− 100" not in said and "4,896" in said  # 5,000 - 4,896 - 100 would be 4
    both = text_of(audit_page(sources("credentialed", erroneous_registration=3, died_in_ed=4)))
    assert both.count("− &lt;11") == 18


def test_a_small_class_shows_no_share():
    said = text_of(audit_page(sources("credentialed")))
    assert "1.8%" not in said and "1.8%" in text_of(audit_page(sources()))


def test_a_missing_table_is_one_line(tmp_path: Path):
    with pytest.raises(DataError, match=r"ingest\.tsv: this table of the audit does not exist"):
        Sources.read(tmp_path)


def test_the_script_reads_what_the_rules_write(tmp_path: Path, monkeypatch):
    tables = sources(not_in_a_split=3)
    for name in ("ingest", "splits", "exclusions", "prevalence", "flags"):
        getattr(tables, name).write_csv(tmp_path / f"{name}.tsv", separator="\t")
    output = tmp_path / "index.html"
    script = Path(__file__).resolve().parents[3] / "scripts" / "build_audit_page.py"
    monkeypatch.setattr(sys, "argv", ["build_audit_page", "--audit", str(tmp_path), "--output", str(output)])
    runpy.run_path(str(script), run_name="__main__")
    assert output.read_text() == audit_page(tables)
