"""Which values count as measurements: worked examples of cohort rule 6 and of mixed temperature units."""

import polars as pl
import pytest

from tirec.records.schema import SPECS, VALID_RANGES
from tirec.records.vitals import celsius, mean_arterial_pressure, valid, valid_row

Row = tuple[str, str, float, int]


def numerics(*rows: Row) -> pl.DataFrame:
    lines = [(number, 1, *row) for number, row in enumerate(rows, 1)]
    return pl.DataFrame(lines, schema=SPECS["numerics"].schema, orient="row")


def pressures(*rows: Row) -> list[tuple[int, int, float]]:
    return mean_arterial_pressure(numerics(*rows)).select("time_s", "row", "value").rows()


def test_a_valid_mean_wins_over_the_cuff_of_the_same_second() -> None:
    assert pressures(("Monitor", "SBP", 120, 60), ("Monitor", "DBP", 60, 60), ("Monitor", "MAP", 77, 60)) == [
        (60, 3, 77)
    ]


def test_an_impossible_mean_is_replaced_by_the_cuff() -> None:
    assert pressures(("Chart", "MAP", 0, 60), ("Chart", "SBP", 95, 60), ("Chart", "DBP", 50, 60)) == [(60, 2, 65)]


def test_systolic_and_diastolic_must_be_of_one_source_and_second() -> None:
    assert pressures(("Chart", "SBP", 120, 60), ("Monitor", "DBP", 60, 60), ("Chart", "DBP", 60, 61)) == []


def test_zeros_and_results_out_of_range_do_not_count() -> None:
    assert (
        pressures(("Chart", "SBP", 120, 0), ("Chart", "DBP", 0, 0), ("Chart", "SBP", 20, 9), ("Chart", "DBP", 9, 9))
        == []
    )


def test_different_values_of_one_second_are_all_kept() -> None:
    assert pressures(("Chart", "MAP", 80, 5), ("Chart", "MAP", 60, 5)) == [(5, 1, 80), (5, 2, 60)]


@pytest.mark.parametrize(("value", "expected"), [(36.7, 36.7), (98.6, 37.0), (25.0, 25.0), (113.0, 45.0), (50.0, None)])
def test_temperature_unit_is_decided_per_value(value: float, expected: float | None) -> None:
    found = pl.select(celsius(pl.lit(value))).item()
    assert found is None if expected is None else found == pytest.approx(expected)


@pytest.mark.parametrize("measure", [name for name in VALID_RANGES if name != "Temp"])
def test_ranges_include_their_ends(measure: str) -> None:
    low, high = VALID_RANGES[measure]
    rows = numerics(*(("Monitor", measure, value, 0) for value in (low - 0.5, low, high, high + 0.5)))
    assert valid(rows, measure)["row"].to_list() == [2, 3]
    assert rows.filter(valid_row(measure))["row"].to_list() == [2, 3]


def test_valid_temperatures_come_back_in_celsius() -> None:
    rows = numerics(("Chart", "Temp", 98.6, 0), ("Chart", "Temp", 36.5, 1), ("Chart", "Temp", 60, 2))
    assert valid(rows, "Temp")["value"].to_list() == pytest.approx([37.0, 36.5])
