"""Rules 6 and 16 to 20: the monitor's timeline in words, the label at 60, 90 and 120 minutes."""

import pytest
from cohort_timeline import HOUR, MINUTE, cohort, fates, numerics

from tirec.config.cohort import CohortConfig

# First monitor heart rate at 10 min, so the cutoff is 25 min, and the horizons end at 85, 115 and 145 min.
STABLE = ("10m Monitor HR 80", "11m Monitor SpO2 97")
WATCHED = ("30m Monitor HR 82", "30m Monitor SpO2 98")
QUIET = (*STABLE, *WATCHED)


def fate(*events, visit=None, **choices):
    return fates("decompensation", visit or {}, events, **choices)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (QUIET, [0, 0, 0]),
        # strictly above 110, below 90, below 65
        ((*QUIET, "40m Monitor HR 110"), [0, 0, 0]),
        ((*QUIET, "40m Monitor HR 110.5"), [1, 1, 1]),
        ((*QUIET, "40m Monitor SpO2 90"), [0, 0, 0]),
        ((*QUIET, "40m Monitor SpO2 89.5"), [1, 1, 1]),
        ((*QUIET, "40m Monitor MAP 65"), [0, 0, 0]),
        ((*QUIET, "40m Monitor MAP 64"), [1, 1, 1]),
        # (80 + 2·55)/3 = 63.3, from one source and second
        ((*QUIET, "40m Monitor SBP 80", "40m Monitor DBP 55"), [1, 1, 1]),
        ((*QUIET, "40m Monitor SBP 80", "40m1s Monitor DBP 55"), [0, 0, 0]),
        ((*QUIET, "40m Monitor SBP 80", "40m Chart DBP 55"), [0, 0, 0]),
        ((*QUIET, "40m Monitor SBP 80", "40m Monitor DBP 55", "40m Monitor MAP 70"), [0, 0, 0]),
        # probe off, or impossible
        ((*QUIET, "40m Monitor SpO2 0", "41m Monitor HR 251", "42m Monitor MAP 19", "43m Monitor HR 0"), [0, 0, 0]),
        ((*QUIET, "40m Monitor SBP 80", "40m Monitor DBP 0"), [0, 0, 0]),
        # labels nest: in (85, 115], in (115, 145], later
        ((*QUIET, "90m Monitor HR 130"), [0, 1, 1]),
        ((*QUIET, "120m Monitor HR 130"), [0, 0, 1]),
        ((*QUIET, "146m Monitor HR 130"), [0, 0, 0]),
        # exactly at c + horizon is still label; a second later is not
        ((*QUIET, "85m Monitor HR 130"), [1, 1, 1]),
        ((*QUIET, "85m1s Monitor HR 130"), [0, 1, 1]),
        # exactly at c is evidence, hence instability; a second later is label
        ((*QUIET, "25m Monitor HR 130"), ["unstable_by_cutoff"] * 3),
        ((*QUIET, "25m1s Monitor HR 130"), [1, 1, 1]),
        # other measures do not count
        ((*QUIET, "40m Monitor RR 60", "41m Chart Temp 106"), [0, 0, 0]),
    ],
)
def test_labels(events, expected):
    assert fate(*events) == expected


@pytest.mark.parametrize(
    ("events", "visit", "expected"),
    [
        (QUIET, {"roomed_s": None}, "not_roomed"),
        (QUIET[1:2], {}, "no_monitor_heart_rate"),
        ((), {}, "no_monitor_heart_rate"),
        # a charted or impossible heart rate starts no clock, nor does a minute that ended at rooming
        (("10m Chart HR 80", "12m Monitor HR 0"), {}, "no_monitor_heart_rate"),
        (("10m Monitor HR 80",), {"roomed_s": 10 * MINUTE}, "no_monitor_heart_rate"),
        (QUIET, {"departure_s": 25 * MINUTE - 1}, "cutoff_after_departure"),
        # gone exactly at the cutoff: nothing is left to watch
        (QUIET, {"departure_s": 25 * MINUTE}, "not_observed_in_horizon"),
        (QUIET, {"triage_hr": None}, "triage_missing"),
        (QUIET, {"triage_dbp": None}, "triage_missing"),
        (QUIET, {"triage_spo2": 0.0}, "triage_impossible"),
        (QUIET, {"triage_sbp": 0.0}, "triage_impossible"),
        (QUIET, {"triage_hr": 111.0}, "triage_abnormal"),
        (QUIET, {"triage_spo2": 89.0}, "triage_abnormal"),
        # (85 + 2·54)/3 = 64.3
        (QUIET, {"triage_sbp": 85.0, "triage_dbp": 54.0}, "triage_abnormal"),
        # missing comes before abnormal
        (QUIET, {"triage_hr": 130.0, "triage_spo2": None}, "triage_missing"),
        (("10m Monitor HR 80", *WATCHED), {}, "no_monitor_saturation"),
        (("10m Monitor HR 80", "11m Chart SpO2 97", *WATCHED), {}, "no_monitor_saturation"),
        (("10m Monitor HR 80", "25m1s Monitor SpO2 97", *WATCHED), {}, "no_monitor_saturation"),
        ((*QUIET, "12m Monitor SpO2 80"), {}, "unstable_by_cutoff"),
        # charted values count from arrival on, also before rooming
        ((*QUIET, "1m Chart HR 140"), {"roomed_s": 5 * MINUTE}, "unstable_by_cutoff"),
        (STABLE, {}, "not_observed_in_horizon"),
        ((*STABLE, WATCHED[0]), {}, "not_observed_in_horizon"),
        # watched up to the cutoff itself and no further
        ((*STABLE, "25m Monitor HR 80", "25m Monitor SpO2 97"), {}, "not_observed_in_horizon"),
        ((*STABLE, WATCHED[1], "30m Chart HR 90"), {}, "not_observed_in_horizon"),
        ((*STABLE, WATCHED[1], "30m Monitor HR 0"), {}, "not_observed_in_horizon"),
        # rule 4 stands before all of these
        ((), {"roomed_s": None, "departure_s": None}, "implausible_times"),
    ],
)
def test_exclusions(events, visit, expected):
    assert fate(*events, visit=visit) == [expected] * 3


def test_a_monitor_minute_before_rooming_belongs_to_someone_else():
    assert fate("1m Monitor HR 150", *QUIET, visit={"roomed_s": 2 * MINUTE}) == [0, 0, 0]


def test_rooming_before_arrival_is_arrival():
    assert fate(*QUIET, visit={"roomed_s": -600}) == [0, 0, 0]
    frame = cohort("decompensation", [{"roomed_s": -600}], numerics("0m Monitor HR 80", *QUIET)).instances
    assert frame["cutoff_s"].unique().to_list() == [25 * MINUTE]


def test_eligibility_does_not_look_at_values_and_may_differ_by_horizon():
    late = ("90m Monitor HR 82", "90m Monitor SpO2 98")
    assert fate(*STABLE, *late) == ["not_observed_in_horizon", 0, 0]
    # an abnormal saturation alone does not make up for the heart rate never seen
    assert fate(*STABLE, "40m Monitor SpO2 80") == ["not_observed_in_horizon"] * 3


def test_a_row_at_departure_is_still_label_and_later_ones_are_not():
    gone = {"departure_s": HOUR}
    assert fate(*QUIET, "60m Monitor HR 130", visit=gone) == [1, 1, 1]
    assert fate(*QUIET, "61m Monitor HR 130", visit=gone) == [0, 0, 0]


@pytest.mark.parametrize(
    ("choice", "events", "visit", "expected"),
    [
        ({"triage_missing": "ignore"}, QUIET, {"triage_hr": None}, [0, 0, 0]),
        ({"triage_missing": "ignore"}, QUIET, {"triage_hr": None, "triage_spo2": 80.0}, ["triage_abnormal"] * 3),
        ({"triage_missing": "ignore"}, QUIET, {"triage_hr": 0.0}, ["triage_impossible"] * 3),
        ({"label_source": "monitor"}, (*QUIET, "40m Chart HR 130"), {}, [0, 0, 0]),
        ({"label_source": "monitor_and_chart"}, (*QUIET, "40m Chart HR 130"), {}, [1, 1, 1]),
        ({"persistence": "two"}, (*QUIET, "40m Monitor HR 130"), {}, [0, 0, 0]),
        ({"persistence": "two"}, (*QUIET, "40m Monitor HR 130", "42m Monitor HR 130"), {}, [1, 1, 1]),
        ({"persistence": "two"}, (*QUIET, "40m Monitor HR 130", "42m1s Monitor HR 130"), {}, [0, 0, 0]),
        # two values of one second are one minute; two vitals are not one lasting vital
        ({"persistence": "two"}, (*QUIET, "40m Monitor HR 130", "40m Monitor HR 131"), {}, [0, 0, 0]),
        ({"persistence": "two"}, (*QUIET, "40m Monitor HR 130", "41m Monitor SpO2 80"), {}, [0, 0, 0]),
        # both must lie in the horizon
        ({"persistence": "two"}, (*QUIET, "84m Monitor HR 130", "86m Monitor HR 130"), {}, [0, 1, 1]),
        # one mean pressure stays enough
        ({"persistence": "two"}, (*QUIET, "40m Monitor MAP 60"), {}, [1, 1, 1]),
        ({"coverage": "hr_spo2_map"}, QUIET, {}, ["not_observed_in_horizon"] * 3),
        ({"coverage": "hr_spo2_map"}, (*QUIET, "40m Monitor MAP 80"), {}, [0, 0, 0]),
        # gone at 100 min: the 60-minute horizon (to 85 min) was seen whole
        ({"coverage": "full_horizon"}, QUIET, {"departure_s": 100 * MINUTE}, [0, *["not_observed_in_horizon"] * 2]),
    ],
)
def test_alternatives(choice, events, visit, expected):
    assert fate(*events, visit=visit, **choice) == expected


def test_components_minutes_and_flags():
    events = (*QUIET, "30m30s Monitor HR 83", "31m Monitor HR 130", "90m Monitor MAP 60")
    frame = cohort("decompensation", [{"departure_s": 100 * MINUTE}], numerics(*events)).instances
    columns = ["label_hr", "label_map", "label_spo2", "minutes_hr", "minutes_map", "minutes_spo2"]
    flags = ["left_early", "isolated"]
    # minutes count from the cutoff at 25 min: 30m closes minute 5, 30m30s and 31m lie in minute 6
    assert frame.select(*columns, *flags).rows() == [
        # no pressure by 85 min: its component is unknown, not negative; one lone fast minute
        (1, None, 0, 2, 0, 1, False, True),
        (1, 1, 0, 2, 1, 1, True, False),
        (1, 1, 0, 2, 1, 1, True, False),
    ]


def test_the_minute_that_ends_with_the_horizon_is_observed():
    events = (*QUIET, "85m Monitor HR 80", "85m1s Monitor HR 80", "25m1s Monitor HR 80")
    frame = cohort("decompensation", [{}], numerics(*events)).instances
    # (25, 26], (29, 30] and (84, 85] of the hour; the next second is another minute
    assert frame["minutes_hr"].to_list() == [3, 4, 4]


def test_chart_alone_can_make_a_component_known():
    config = CohortConfig.model_validate({"decompensation": {"label_source": "monitor_and_chart"}})
    frame = cohort("decompensation", [{}], numerics(*QUIET, "40m Chart MAP 60"), config).instances
    assert frame.select("label", "label_map", "minutes_map").rows() == [(1, 1, 0)] * 3


def test_many_visits_read_in_pieces(monkeypatch):
    rows = [row for csn in range(1, 8) for row in numerics(*QUIET, *(["40m Monitor HR 130"] * (csn % 2)), csn=csn)]
    visits = [{"csn": csn, "mrn": csn} for csn in range(1, 8)]
    whole = cohort("decompensation", visits, rows).instances
    monkeypatch.setattr("tirec.cohort.monitoring.CHUNK_VISITS", 2)
    assert cohort("decompensation", visits, rows).instances.equals(whole)
    assert whole.filter(setting="60m")["label"].to_list() == [1, 0, 1, 0, 1, 0, 1]
