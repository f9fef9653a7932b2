"""NEWS2 against the chart's own rows, and triage acuity."""

import numpy as np
import pytest

from tirec.policy.tabular.scores import CHART, NEWS2_HIGHEST, OXYGEN, acuity, news2
from tirec.teacher.rows import TeacherError

LATEST = {parameter.latest: parameter.arrival for parameter in CHART}
HEALTHY = {
    "respiratory_rate__last": 16,
    "oxygen_saturation__last": 98,
    "blood_pressure__sbp_last": 120,
    "heart_rate__last": 70,
    "temperature__last": 36.8,
}


def points(**changed: float) -> float:
    """NEWS2 of one patient, healthy but for what is named."""
    row = {**dict.fromkeys(LATEST.values(), np.nan), OXYGEN: np.nan, **HEALTHY, **changed}
    return float(news2(np.array([list(row.values())], dtype=np.float32), list(row))[0] * NEWS2_HIGHEST)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("respiratory_rate__last", {3: (8, 25, 40), 1: (9, 11), 0: (12, 20), 2: (21, 24)}),
        ("oxygen_saturation__last", {3: (80, 91), 2: (92, 93), 1: (94, 95), 0: (96, 100)}),
        ("blood_pressure__sbp_last", {3: (60, 90, 220), 2: (91, 100), 1: (101, 110), 0: (111, 219)}),
        ("heart_rate__last", {3: (30, 40, 131), 1: (41, 50, 91, 110), 0: (51, 90), 2: (111, 130)}),
        ("temperature__last", {3: (34.2, 35.0), 1: (35.1, 36.0, 38.1, 39.0), 0: (36.1, 38.0), 2: (39.1, 41.0)}),
        (OXYGEN, {0: (0.0, np.nan), 2: (0.5, 15.0)}),
    ],
)
def test_every_row_of_the_chart(column: str, values: dict[int, tuple[float, ...]]) -> None:
    for expected, given in values.items():
        for value in given:
            assert points(**{column: value}) == pytest.approx(expected), (column, value)


def test_values_are_read_with_the_chart_s_digits() -> None:
    assert points(heart_rate__last=90.4) == 0 and points(heart_rate__last=90.6) == pytest.approx(1)
    assert points(temperature__last=38.04) == 0 and points(temperature__last=38.06) == pytest.approx(1)


def test_points_add_up_and_the_highest_is_seventeen() -> None:
    worst = dict(zip(HEALTHY, (30, 85, 80, 140, 34.0), strict=True))
    assert points(**worst, **{OXYGEN: 4.0}) == pytest.approx(17)
    assert points(respiratory_rate__last=22, heart_rate__last=115, **{OXYGEN: 2.0}) == pytest.approx(6)


def test_triage_stands_in_where_nothing_newer_is_known_and_missing_scores_nothing() -> None:
    assert points(heart_rate__last=np.nan, triage__heart_rate=135) == pytest.approx(3)
    assert points(triage__heart_rate=135) == 0
    assert points(**dict.fromkeys(HEALTHY, np.nan)) == 0


def test_acuity_rises_with_urgency_and_an_unknown_level_is_the_middle_one() -> None:
    values = np.array([[1], [3], [5], [np.nan]], dtype=np.float32)
    assert acuity(values, ["triage__acuity"]).tolist() == [1.0, 0.5, 0.0, 0.5]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(TeacherError, match="triage__acuity"):
        acuity(np.zeros((1, 1), dtype=np.float32), ["triage__pain"])
