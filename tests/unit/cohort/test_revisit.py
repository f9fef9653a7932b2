"""Rule 21: a discharged visit in words, its label at 3, 7 and 14 days."""

import pytest
from cohort_timeline import HOUR, cohort, fates

from tirec.config.cohort import CohortConfig


@pytest.mark.parametrize(
    ("visit", "expected"),
    [
        ({}, [0, 0, 0]),
        ({"hours_to_next_visit": 0.01}, [1, 1, 1]),
        # a return at exactly 72, 168 or 336 hours is within 3, 7 or 14 days
        ({"hours_to_next_visit": 72.0}, [1, 1, 1]),
        ({"hours_to_next_visit": 72.001}, [0, 1, 1]),
        ({"hours_to_next_visit": 168.0}, [0, 1, 1]),
        ({"hours_to_next_visit": 336.0}, [0, 0, 1]),
        ({"hours_to_next_visit": 336.1}, [0, 0, 0]),
        ({"hours_to_next_visit": float("nan")}, [0, 0, 0]),
        ({"hours_to_next_visit": 0.0}, ["overlapping_next_visit"] * 3),
        ({"hours_to_next_visit": -3.0}, ["overlapping_next_visit"] * 3),
        ({"ed_dispo": "Observation", "hours_to_next_visit": -3.0}, ["not_discharged"] * 3),
        ({"ed_dispo": "Inpatient"}, ["not_discharged"] * 3),
        ({"ed_dispo": None}, ["disposition_missing"] * 3),
        ({"dc_dispo": "Expired"}, ["died_in_ed"] * 3),
        ({"dc_dispo": "Left Against Medical Advice"}, [0, 0, 0]),
        ({"dc_dispo": "ED Only - Left Without Being Seen"}, ["left_without_being_seen"] * 3),
        ({"departure_s": None}, ["implausible_times"] * 3),
    ],
)
def test_worked_visits(visit, expected):
    assert fates("revisit", visit) == expected


@pytest.mark.parametrize(
    ("cutoff", "decided", "expected"),
    [
        ("departure", 5 * HOUR, 6 * HOUR),
        ("decision", 5 * HOUR, 5 * HOUR),
        ("decision", 0, 0),
        ("decision", 6 * HOUR, 6 * HOUR),
        # without a usable decision: blank, before arrival, after departure
        ("decision", None, 6 * HOUR),
        ("decision", -1, 6 * HOUR),
        ("decision", 6 * HOUR + 1, 6 * HOUR),
    ],
)
def test_cutoff(cutoff, decided, expected):
    config = CohortConfig.model_validate({"revisit": {"cutoff": cutoff}})
    frame = cohort("revisit", [{"dispo_s": decided, "hours_to_next_visit": 72.0}], config=config).instances
    assert frame["cutoff_s"].to_list() == [expected] * 3
    # the clock of the label starts at departure, whatever the cutoff
    assert frame["label"].to_list() == [1, 1, 1]


def test_the_three_horizons_share_their_evidence():
    frame = cohort("revisit", [{"csn": csn, "mrn": csn} for csn in (5, 6)]).instances
    assert frame["evidence_id"].to_list() == [0, 1] * 3
    # k = 6, 7, 8 and n = 2
    assert frame["instance_id"].to_list() == [12, 13, 14, 15, 16, 17]


def test_the_column_rules_and_a_disagreement_is_flagged():
    day = 24 * HOUR
    visits = [
        # departs at 6 h, next arrival 48 h later: agrees
        {"csn": 1, "hours_to_next_visit": 48.0},
        # the column says none, the table has one
        {"csn": 2, "arrival_abs_s": 6 * HOUR + 2 * day},
        # the column says one, the table has none
        {"csn": 3, "arrival_abs_s": 40 * day, "hours_to_next_visit": 10.0},
        # another patient altogether
        {"csn": 4, "mrn": 2, "arrival_abs_s": day},
    ]
    frame = cohort("revisit", visits).of("3d")
    assert frame["label"].to_list() == [1, 0, 1, 0]
    assert frame["next_visit_disagrees"].to_list() == [False, True, True, False]
