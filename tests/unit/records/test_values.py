"""From text to value: worked examples."""

import polars as pl
import pytest

from tirec.records.columns import Column, Kind
from tirec.records.values import day, instant, lab_number, lab_sign, text, value


@pytest.mark.parametrize(
    ("words", "number", "sign"),
    [
        (".93", 0.93, ""),
        (".00", 0.0, ""),
        ("12.5", 12.5, ""),
        (" 7 ", 7.0, ""),
        ("5 %", 5.0, ""),
        (">10.0", 10.0, ">"),
        ("<= .5", 0.5, "<="),
        ("-3", -3.0, ""),
        ("NEG", None, ""),
        ("None", None, ""),
        ("0-2", None, ""),
        ("10/4", None, ""),
        ("> many", None, ""),
        ("1e3", None, ""),
        ("1.2.3", None, ""),
        ("٣", None, ""),
    ],
)
def test_a_lab_value_is_a_number_only_as_a_whole(words: str, number: float | None, sign: str) -> None:
    found = pl.select(lab_number(pl.lit(words)).alias("n"), lab_sign(pl.lit(words)).alias("s")).row(0)
    assert found == (number, sign)


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("id", "98000001", 98000001),
        ("id", "98000001.0", None),
        ("id", "9007199254740993", 9007199254740993),
        ("count", "3.0", 3),
        ("count", "3.5", None),
        ("small", "67", 67),
        ("small", "70000", None),
        ("number", "nan", None),
        ("number", "1e999", None),
        ("number32", "1e300", None),
        ("number", ".5", 0.5),
    ],
)
def test_numbers(kind: Kind, words: str, expected: float | None) -> None:
    assert pl.select(value(pl.lit(words), Column("X", "x", kind))).item() == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("1970-01-01T00:00:42Z", 42),
        ("2295-12-31T23:59:59Z", 10287561599),
        ("2283-02-30T00:00:00Z", None),
        ("2283-03-02T24:00:00Z", None),
        ("2283-03-02", None),
        ("soon", None),
    ],
)
def test_times_reach_years_that_nanoseconds_do_not(words: str, expected: int | None) -> None:
    assert pl.select(instant(pl.lit(words))).item() == expected


def test_days_with_and_without_a_time() -> None:
    words = pl.Series("w", ["1970-01-02T00:00:00Z", "1970-01-03", "1970-13-01"])
    assert words.to_frame().select(day(pl.col("w"))).to_series().to_list() == [1, 2, None]


def test_text_loses_outer_blanks_and_raw_text_keeps_them() -> None:
    words = pl.DataFrame({"w": [" a ", "  ", "b\r\nc", None]})
    assert words.select(text(pl.col("w"), "text")).to_series().to_list() == ["a", None, "b\nc", None]
    assert words.select(text(pl.col("w"), "raw")).to_series().to_list() == [" a ", None, "b\nc", None]
