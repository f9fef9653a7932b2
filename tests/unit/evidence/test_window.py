"""What the window lets through, rule by rule."""

import polars as pl
import pytest
from evidence_records import ARRIVAL_DAY, ARRIVAL_S, OUTCOMES, cutoff, tables, visit

from tirec.config.evidence import EvidenceConfig, OrderRules
from tirec.errors import DataError
from tirec.evidence.window import gather

DAY = 86_400


def seen(config=None, at=3600, **rows):
    return gather(tables(**{"visits": [visit()], **rows}), cutoff(at=at), config or EvidenceConfig())


@pytest.mark.parametrize(("stamp", "visible"), [(3599, 1), (3600, 1), (3601, 0), (-300, 1), (None, 0)])
def test_an_event_at_the_cutoff_is_evidence_one_later_is_not(stamp, visible):
    evidence = seen(
        numerics=[{"csn": 1, "source": "Chart", "measure": "HR", "value": 80, "time_s": stamp}],
        orders=[{"csn": 1, "order_s": stamp, "procedure_name": "CBC"}],
        labs=[{"csn": 1, "order_s": 0, "result_s": stamp, "component_name": "SODIUM"}],
        rads=[{"csn": 1, "order_s": 0, "result_s": stamp, "study": "XR CHEST"}],
    )
    heights = [frame.height for frame in (evidence.orders, evidence.labs, evidence.rads)]
    assert heights == [visible] * 3
    assert evidence.numerics.height == visible


def test_later_stamps_of_a_visible_order_are_blank():
    stamps = [(None, None), (3600, 3600), (3601, 3601)]
    orders = [{"csn": 1, "order_s": 10, "first_admin_s": given, "result_s": back} for given, back in stamps]
    rows = seen(orders=orders).orders
    assert rows.select("given", "resulted").rows() == [(False, False), (True, True), (False, False)]
    assert not {"first_admin_s", "result_s"} & set(rows.columns)


def test_a_result_before_its_order_is_visible_at_the_result():
    assert seen(labs=[{"csn": 1, "order_s": 9000, "result_s": 100, "component_name": "SODIUM"}]).labs.height == 1


def test_no_frame_has_an_outcome_or_an_absolute_time():
    evidence = seen()
    forbidden = {*OUTCOMES, "abnormal", "active", "end_day", "arrival_abs_s", "arrival_day", "csn", "mrn", "result_s"}
    for name in ("visit", "numerics", "orders", "labs", "rads", "meds", "pmh", "earlier"):
        assert not forbidden & set(getattr(evidence, name).columns), name


DECISIONS = (
    "ADMIT TO INPATIENT",
    "Admission Order",
    "BED REQUEST - ED",
    "request  for bed",
    "PLACE IN OBSERVATION",
    "OBSERVATION STATUS",
    "TRANSFER PATIENT",
    "TRANSFER TO ICU",
    "DISCHARGE PATIENT",
    "DISCHARGE HOME",
    "ED DISCHARGE",
    "HOSPITAL INPATIENT",
    "PRE-ADMIT TESTING",
)
KEPT = (
    "TRANSFERRIN",
    "TRANSFUSE RED BLOOD CELLS",
    "WOUND DISCHARGE CULTURE",
    "OBSERVATION FOR WITHDRAWAL",
    "CODE STATUS: FULL",
    "READMITTED NOTE",
    "ADMITTANCE",
    None,
)


def names(config=None):
    orders = [{"csn": 1, "order_s": 1, "procedure_name": name} for name in (*DECISIONS, *KEPT)]
    return seen(config, orders=orders).orders["procedure_name"].to_list()


def test_decision_orders_are_dropped_by_whole_words():
    assert names() == list(KEPT)


def test_decision_orders_can_be_kept_one_by_one_or_all():
    one = EvidenceConfig(orders=OrderRules(keep=("ed  discharge",), drop=("transferrin",)))
    assert names(one) == ["ED DISCHARGE", *KEPT[1:]]
    assert len(names(EvidenceConfig(orders=OrderRules(decision_orders="keep")))) == len(DECISIONS) + len(KEPT)


@pytest.mark.parametrize(
    ("noted", "margin", "visible"), [(-1, 0, 1), (0, 0, 0), (None, 0, 0), (-1, 1, 0), (-2, 1, 1), (30, 0, 0)]
)
def test_diagnoses_are_noted_before_the_arrival_day(noted, margin, visible):
    day = None if noted is None else ARRIVAL_DAY + noted
    evidence = seen(EvidenceConfig(history_margin_days=margin), pmh=[{"mrn": 1, "noted_day": day, "code": "I10"}])
    assert evidence.pmh.height == visible


@pytest.mark.parametrize(
    ("entry", "start", "end", "visible"),
    [
        (-1, None, None, 1),
        (0, -5, None, 0),
        (None, -5, None, 0),
        (-9, 0, None, 0),
        (-9, -9, 0, 1),
        (-9, -9, -1, 0),
    ],
)
def test_medications_are_those_taken_before_the_arrival_day(entry, start, end, visible):
    days = {"entry_day": entry, "start_day": start, "end_day": end}
    row = {name: None if day is None else ARRIVAL_DAY + day for name, day in days.items()}
    assert seen(meds=[{"mrn": 1, "name": "X", "active": "N", **row}]).meds.height == visible


def test_earlier_visits_are_those_that_departed_before_this_arrival():
    others = [
        visit(2, arrival_abs_s=ARRIVAL_S - 10 * DAY, departure_s=DAY, ed_dispo="ICU"),
        visit(3, arrival_abs_s=ARRIVAL_S - DAY, departure_s=DAY, ed_dispo="ICU"),
        visit(4, arrival_abs_s=ARRIVAL_S - DAY, departure_s=2 * DAY),
        visit(5, arrival_abs_s=ARRIVAL_S + DAY),
        visit(6, arrival_abs_s=ARRIVAL_S - DAY, departure_s=None),
        visit(7, mrn=2, arrival_abs_s=ARRIVAL_S - 10 * DAY),
    ]
    evidence = seen(visits=[visit(departure_s=-5), *others])
    assert evidence.earlier.select("days_before", "admitted").rows() == [(9.0, True)]


def test_impossible_values_and_units():
    rows = [("HR", 0), ("HR", 251), ("HR", 250), ("SpO2", 49), ("Temp", 98.6), ("Temp", 37), ("Temp", 60)]
    chart = {"csn": 1, "source": "Chart"}
    numerics = [chart | {"measure": name, "value": value, "time_s": k} for k, (name, value) in enumerate(rows)]
    found = seen(numerics=numerics).numerics.select(pl.col("measure").cast(pl.String), "value").rows()
    assert found == [("HR", 250), ("Temp", pytest.approx(37.0)), ("Temp", 37)]


def test_impossible_triage_values_are_not_observed():
    arrived = visit(triage_hr=0, triage_spo2=97, triage_temp_c=98.6, triage_sbp=400)
    row = seen(visits=[arrived]).visit.row(0, named=True)
    assert (row["triage_hr"], row["triage_spo2"], row["triage_sbp"]) == (None, 97, None)
    assert row["triage_temp"] == pytest.approx(37.0)


def test_mean_pressure_is_measured_or_derived_from_one_second():
    def reading(measure, value, time):
        return {"csn": 1, "source": "Monitor", "measure": measure, "value": value, "time_s": time}

    numerics = [reading("SBP", 120, 60), reading("DBP", 60, 60), reading("SBP", 90, 120), reading("DBP", 60, 180)]
    found = seen(numerics=[*numerics, reading("MAP", 77, 240)]).numerics.filter(pl.col("measure") == "MAP")
    assert found["value"].to_list() == [80, 77]


def test_text_is_on_one_line_without_invisible_characters():
    row = seen(visits=[visit(cc=" CHEST\nPAIN\u200b,\tNAUSEA\x00 ", gender="\u2028")]).visit.row(0, named=True)
    assert (row["cc"], row["gender"]) == ("CHEST PAIN , NAUSEA", None)


def test_a_cutoff_without_visit_stops():
    with pytest.raises(DataError, match="cutoffs"):
        gather(tables(visits=[visit()]), cutoff(csn=99), EvidenceConfig())


def test_one_evidence_id_has_one_cutoff():
    twice = pl.concat([cutoff(at=3600), cutoff(at=7200)])
    with pytest.raises(DataError, match="evidence ids"):
        gather(tables(visits=[visit()]), twice, EvidenceConfig())
