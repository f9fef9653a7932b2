"""The demo's verdict and its small table."""

import polars as pl
import pytest

from tirec.report.tables import ablation_summary, number, text_table
from tirec.report.verdict import judge

PLANTED = {"disposition": ["labs", "orders"], "revisit": ["history", "temperature"]}
FOUND = {"disposition": ("labs", "orders"), "revisit": ("history", "temperature", "labs")}


def table(full: float = 0.75, base: float = 0.60, teacher: float | None = 0.80, width: float = 0.05) -> pl.DataFrame:
    rows = []
    for policy, auroc in (("full", full), ("base", base), ("teacher", teacher)):
        difference = None if auroc is None else auroc - full
        row = {"policy": policy, "task": "macro", "calls": 3.21, "match_f1": 0.8, "unanswered": 0.0, "seeds": 1}
        for name in ("auroc", "auprc", "f1"):
            ends = (None, None) if auroc is None else (auroc - width, auroc + width)
            row |= {name: auroc, f"{name}_low": ends[0], f"{name}_high": ends[1]}
        row["auroc_diff"] = difference
        row |= dict.fromkeys(("auroc_diff_low", "auroc_diff_high"))
        if difference is not None:
            row |= {"auroc_diff_low": difference - width, "auroc_diff_high": difference + width}
        rows.append(row | {"n": 90, "n_pos": 9})
    return pl.DataFrame(rows, infer_schema_length=None)


def failures(found: list) -> list[str]:
    return [finding.sentence for finding in found if finding.required and not finding.holds]


def test_a_good_demo_passes_and_says_how_far_it_came() -> None:
    findings = judge(table(), FOUND, PLANTED)
    assert not failures(findings)
    sentences = " | ".join(finding.sentence for finding in findings)
    assert "full - base, test macro AUROC: +0.150 [+0.100, +0.200], above zero" in sentences
    assert "closes 75% of the AUROC gap" in sentences
    assert "not planted: labs" in sentences


BAD = {
    "a planted cause is missing": ({"full": 0.75}, {**FOUND, "disposition": ("labs",)}, "missing: orders"),
    "a task has no set": ({"full": 0.75}, {"disposition": ("labs", "orders")}, "revisit: the reference set is empty"),
    "half of the set is not planted": (
        {},
        {**FOUND, "disposition": ("labs", "orders", "history", "imaging")},
        "history",
    ),
    "training did not help": ({"full": 0.55}, FOUND, "full - base"),
    "equal is not above": ({"full": 0.60}, FOUND, "full - base"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_demo_fails_and_names_the_reason(name: str) -> None:
    changes, found, reason = BAD[name]
    (sentence,) = failures(judge(table(**changes), found, PLANTED))
    assert reason in sentence


def test_a_small_difference_passes_but_is_called_not_separable() -> None:
    findings = judge(table(full=0.62), FOUND, PLANTED)
    assert not failures(findings)
    assert any("not separable" in finding.sentence for finding in findings)


def test_closing_less_than_half_of_the_gap_is_a_note() -> None:
    findings = judge(table(full=0.65), FOUND, PLANTED)
    assert [finding.holds for finding in findings if not finding.required] == [False]
    assert not failures(findings)


def test_without_a_macro_value_the_comparison_fails() -> None:
    assert "undefined" in failures(judge(table().filter(pl.col("policy") != "base"), FOUND, PLANTED))[0]


def test_the_small_table() -> None:
    lines = ablation_summary(table(teacher=None)).splitlines()
    assert lines[0].split() == ["policy", "AUROC", "AUPRC", "F1", "match", "F1", "calls", "unanswered", "seeds"]
    assert lines[2].startswith("full") and ".750 [.700, .800]" in lines[2]
    assert "undefined (n_pos = 9)" in lines[4]


def test_columns_line_up() -> None:
    assert text_table(["a", "bb"], [["long name", "1"]]) == "a          bb\n---------  --\nlong name   1"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.8125, ".812"), (-0.05, "-.050"), (1.0, "1.000"), (12.345, "12.345"), (None, "-"), (0.0, ".000")],
)
def test_numbers_are_written_as_journals_do(value: float | None, text: str) -> None:
    assert number(value) == text
