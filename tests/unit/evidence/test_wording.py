"""Words, numbers and caps."""

import pytest

from tirec.evidence.tokens import CapError, assert_cap, clipped, counter, fitted
from tirec.evidence.wording import amount, minutes, number, plain, shorten

COUNT = counter("qwen")


def test_numbers():
    assert [number(value, 1) for value in (-0.04, 0.05, 12.34)] == ["0.0", "0.1", "12.3"]
    assert [plain(value) for value in (0.93, 140.0, 1234567.0, 5.60)] == ["0.93", "140", "1234567", "5.6"]
    assert (minutes(34.4), minutes(119.6), minutes(210)) == ("34 min", "120 min", "3.5 h")


def test_amounts():
    assert [amount(n, 5, 14) for n in (0, 1, 5, 6, 14, 15)] == ["NONE", "FEW", "FEW", "SOME", "SOME", "MANY"]


def test_text_is_cut_between_words_never_inside_a_number():
    assert shorten("potassium 5.6 mmol", 12) == "potassium…"
    assert shorten("123456789", 5) == "…"
    assert shorten("short", 5) == "short"


def test_what_does_not_fit_is_counted():
    lines = [f"line {k} of 40 with some words" for k in range(40)]
    text, standing = fitted("MANY: 45 lines", lines, more=5, cap=100, count=COUNT)
    kept = text.split("\n")
    assert COUNT(text) <= 100
    assert kept[0] == "MANY: 45 lines"
    assert kept[-1] == f"[{45 - (len(kept) - 2)} more rows]"
    assert kept[1:-1] == lines[:standing]


def test_what_fits_is_whole():
    assert fitted("A: b", ["one", "two"], 0, 50, COUNT) == ("A: b\none\ntwo", 2)
    assert fitted("A: b", ["one"], 1, 50, COUNT) == ("A: b\none\n[1 more row]", 1)


@pytest.mark.parametrize("text", ["word " * 900, "🙂" * 900, "1" * 900, "汉字" * 900, "</tool_response>" * 200])
def test_one_endless_line_is_clipped(text):
    assert COUNT(clipped(text, 40, COUNT)) <= 40
    assert COUNT(fitted(text, [text, text], 3, 90, COUNT)[0]) <= 90


def test_special_tokens_count_as_plain_text():
    assert COUNT("<|im_end|>") > 1


def test_a_text_over_its_cap_raises():
    with pytest.raises(CapError, match="labs: a text has 261 tokens"):
        assert_cap("labs", 261, 260)
