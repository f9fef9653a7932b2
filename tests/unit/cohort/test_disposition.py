"""Rule 15, and rules 3 and 4 as the first task meets them: a visit in words, its fate at 1, 2 and 4 hours."""

import pytest
from cohort_timeline import HOUR, MINUTE, all_in, cohort, fates, tables

from tirec.cohort.instances import build_instances
from tirec.config.cohort import CohortConfig
from tirec.errors import DataError

OUT = "not_at_risk"


@pytest.mark.parametrize(
    ("visit", "expected"),
    [
        ({}, [0, 0, 0]),
        ({"ed_dispo": "Inpatient"}, [1, 1, 1]),
        ({"ed_dispo": "ICU"}, [1, 1, 1]),
        ({"ed_dispo": "Observation"}, [1, 1, 1]),
        # decided at 3 h: still at risk at 1 h and 2 h only
        ({"ed_dispo": "Inpatient", "dispo_s": 3 * HOUR}, [1, 1, OUT]),
        # decided exactly at 2 h is decided at the cutoff; one second later is not
        ({"dispo_s": 2 * HOUR}, [0, OUT, OUT]),
        ({"dispo_s": 2 * HOUR + 1}, [0, 0, OUT]),
        # admission ordered before the decision was stamped
        ({"ed_dispo": "Inpatient", "admit_s": 90 * MINUTE}, [1, OUT, OUT]),
        # gone exactly at 4 h
        ({"dispo_s": None, "departure_s": 4 * HOUR}, [0, 0, OUT]),
        # never decided, still there
        ({"dispo_s": None}, [0, 0, 0]),
        # roomed never, decision after departure: neither matters here
        ({"roomed_s": None, "dispo_s": 7 * HOUR}, [0, 0, 0]),
        ({"ed_dispo": None}, ["disposition_missing"] * 3),
        # a blank disposition decided at 90 min: the earlier rule gives the reason
        ({"ed_dispo": None, "dispo_s": 90 * MINUTE}, ["disposition_missing", OUT, OUT]),
        ({"dispo_s": -1}, ["implausible_times"] * 3),
        ({"ed_dispo": "ICU", "admit_s": -1}, ["implausible_times"] * 3),
        # decided at arrival is not before arrival
        ({"dispo_s": 0}, [OUT] * 3),
        ({"dc_dispo": "Expired"}, ["died_in_ed"] * 3),
        ({"dc_dispo": "Expired. Organ Harvest Complete"}, ["died_in_ed"] * 3),
        # admitted, and died later in hospital
        ({"ed_dispo": "ICU", "dc_dispo": "Expired"}, [1, 1, 1]),
        ({"dc_dispo": "ED Only - Left Without Being Seen"}, ["left_without_being_seen"] * 3),
        ({"dc_dispo": "ED Only - Erroneous Registration"}, ["erroneous_registration"] * 3),
        ({"dc_dispo": "Left Against Medical Advice"}, [0, 0, 0]),
        ({"dc_dispo": None}, [0, 0, 0]),
        ({"departure_s": None}, ["implausible_times"] * 3),
        ({"departure_s": 0}, ["implausible_times"] * 3),
        ({"departure_s": -5, "dc_dispo": "ED Only - Left Without Being Seen"}, ["implausible_times"] * 3),
    ],
)
def test_worked_visits(visit, expected):
    assert fates("disposition", visit) == expected


@pytest.mark.parametrize(
    ("choice", "visit", "expected"),
    [
        ({"at_risk": "paper-literal"}, {"ed_dispo": "ICU", "dispo_s": HOUR, "admit_s": HOUR}, [1, 1, 1]),
        ({"at_risk": "paper-literal"}, {"departure_s": 2 * HOUR}, [0, OUT, OUT]),
        ({"at_risk": "paper-literal"}, {"dispo_s": -1}, ["implausible_times"] * 3),
        ({"observation": "discharge"}, {"ed_dispo": "Observation"}, [0, 0, 0]),
        ({"observation": "discharge"}, {"ed_dispo": "Inpatient"}, [1, 1, 1]),
        ({"observation": "excluded"}, {"ed_dispo": "Observation"}, ["observation_excluded"] * 3),
        ({"died_in_ed": "keep"}, {"dc_dispo": "Expired"}, [0, 0, 0]),
    ],
)
def test_alternatives(choice, visit, expected):
    assert fates("disposition", visit, **choice) == expected


def test_against_advice_can_be_left_out_of_all_tasks():
    config = CohortConfig(left_against_advice="exclude")
    for task in ("disposition", "decompensation", "revisit"):
        built = cohort(task, [{"dc_dispo": "Left Against Medical Advice"}], config=config)
        assert set(built.exclusions["reason"]) == {"left_against_advice"}


def test_cutoffs_flags_and_ids():
    visits = [{"csn": csn, "mrn": csn} for csn in (11, 12, 13)]
    visits[2] |= {"ed_dispo": "Observation", "dc_dispo": "Transfer to another facility"}
    frame = cohort("disposition", visits).instances
    assert frame["cutoff_s"].unique().sort().to_list() == [HOUR, 2 * HOUR, 4 * HOUR]
    # n = 3 visits; k = 0, 1, 2 for disposition's cutoffs, each of which has its own evidence
    assert frame["instance_id"].to_list() == list(range(9))
    assert frame["evidence_id"].to_list() == list(range(9))
    assert frame.filter(csn=13).select("observation", "transferred").unique().row(0) == (True, True)
    assert not frame.filter(csn=11)["observation"].any()


def test_a_visit_in_no_split_is_out_of_every_set():
    records = tables([{"csn": 1}, {"csn": 2, "mrn": 2, "dc_dispo": "ED Only - Left Without Being Seen"}])
    splits = all_in(records.visits.collect()).head(0)
    built = build_instances("disposition", records, splits, CohortConfig())
    assert set(built.exclusions["reason"]) == {"not_in_a_split"}
    assert built.instances.is_empty()


def test_an_unknown_disposition_stops_the_run_without_printing_it():
    with pytest.raises(DataError, match=r"ED_dispo .* in 1 rows .*data row 2") as fault:
        cohort("disposition", [{}, {"csn": 2, "ed_dispo": "Ward of Mr Smith"}])
    assert "Smith" not in str(fault.value)
