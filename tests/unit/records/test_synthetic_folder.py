"""The generated folder: MC-MED's files, headers, oddities and shares, the same bytes for the same seed."""

import csv
import json
import re

import numpy as np
import polars as pl
import pytest

from tirec import frontend
from tirec.config.synthetic import SyntheticConfig
from tirec.errors import ConfigError
from tirec.provenance import file_hash
from tirec.records.synthetic import MARKER, generate

VISITS = 1200
HEADERS = {
    "visits": "MRN,CSN,Visit_no,Visits,Age,Gender,Race,Ethnicity,Means_of_arrival,Triage_Temp,Triage_HR,Triage_RR,"
    "Triage_SpO2,Triage_SBP,Triage_DBP,Triage_acuity,CC,ED_dispo,Hours_to_next_visit,Dispo_class_next_visit,ED_LOS,"
    "Hosp_LOS,DC_dispo,Payor_class,Admit_service,Dx_ICD9,Dx_ICD10,Dx_name,Arrival_time,Roomed_time,Dispo_time,"
    "Admit_time,Departure_time",
    "orders": "CSN,Order_time,Order_type,Procedure_name,Procedure_ID,First_admin_time,Result_time",
    "labs": "CSN,Order_time,Result_time,Display_name,Abnormal,Component_name,Component_result,Component_value,"
    "Component_units,Component_abnormal,Component_nml_low,Component_nml_high",
    "rads": "CSN,Order_time,Result_time,Study,Impression",
    "numerics": "CSN,Source,Measure,Value,Time",
    "waveform_summary": "CSN,Type,Segments,Duration",
    "meds": "MRN,Med_ID,NDC,Name,Generic_name,Med_class,Med_subclass,Active,Entry_date,Start_date,End_date",
    "pmh": "MRN,Noted_date,CodeType,Code,Desc10,CCS,DescCCS",
}
SPLITS = [f"split_{kind}_{part}" for kind in ("chrono", "random") for part in ("train", "val", "test")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("cohort")
    generate(SyntheticConfig(visits=VISITS, seed=3), made)
    return made


@pytest.fixture(scope="module")
def table(folder):
    """Every table as text, as the file has it."""
    return {name: pl.read_csv(folder / f"{name}.csv", infer_schema=False) for name in HEADERS}


def instants(column):
    return pl.col(column).str.to_datetime("%Y-%m-%dT%H:%M:%SZ")


def hours(later, earlier):
    return (instants(later) - instants(earlier)).dt.total_seconds() / 3600


def of_visits(table, name):
    times = table["visits"].unique("CSN").select("CSN", "ED_dispo", "Dispo_time", "Arrival_time", "Departure_time")
    return table[name].join(times, on="CSN")


@pytest.mark.parametrize("name", HEADERS)
def test_headers_are_exactly_those_of_the_release(folder, name):
    assert (folder / f"{name}.csv").read_text().split("\n", 1)[0] == HEADERS[name]


def test_the_folder_holds_the_tables_the_splits_and_the_truth_and_nothing_else(folder):
    expected = {f"{name}.csv" for name in [*HEADERS, *SPLITS]} | {MARKER, "truth.json", "truth.tsv"}
    assert {path.name for path in folder.iterdir()} == expected


def test_visits_are_as_many_as_asked_for_and_ids_look_like_the_release(table):
    visits = table["visits"]
    assert visits["CSN"].n_unique() == VISITS
    assert visits["CSN"].str.contains(r"^98\d{6}$").all() and visits["MRN"].str.contains(r"^99\d{6}$").all()
    assert {name: set(table[name]["CSN"]) <= set(visits["CSN"]) for name in ("orders", "labs", "rads", "numerics")}
    assert set(table["pmh"]["MRN"]) | set(table["meds"]["MRN"]) <= set(visits["MRN"])


def test_same_seed_same_bytes_and_another_seed_other_bytes(tmp_path):
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        generate(SyntheticConfig(visits=300, seed=seed, chunk_patients=250), tmp_path / name)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    bytes_of = {run: {name: file_hash(tmp_path / run / name) for name in names} for run in "abc"}
    assert bytes_of["a"] == bytes_of["b"]
    assert all(bytes_of["a"][name] != bytes_of["c"][name] for name in names)


def test_where_the_folder_lies_changes_no_byte(tmp_path):
    for name in ("a", "b"):
        generate(SyntheticConfig(visits=300, chunk_patients=250), tmp_path / name)
    assert file_hash(tmp_path / "a" / MARKER) == file_hash(tmp_path / "b" / MARKER)


def test_a_larger_cohort_begins_with_the_smaller_one(tmp_path):
    for visits in (300, 600):
        generate(SyntheticConfig(visits=visits, seed=2, chunk_patients=200), tmp_path / str(visits))
    small, large = (pl.read_csv(tmp_path / str(n) / "truth.tsv", separator="\t")["CSN"] for n in (300, 600))
    assert large[:300].to_list() == small.to_list()


def test_split_files_have_no_header_share_no_patient_and_leave_some_visits_out(folder, table):
    patient = dict(table["visits"].select("CSN", "MRN").iter_rows())
    for kind in ("chrono", "random"):
        listed = [(folder / f"split_{kind}_{part}.csv").read_text().split() for part in ("train", "val", "test")]
        assert all(re.fullmatch(r"98\d{6}", csn) for part in listed for csn in part)
        people = [{patient[csn] for csn in part} for part in listed]
        assert not (people[0] & people[1] or people[0] & people[2] or people[1] & people[2])
        assert 0 < VISITS - sum(map(len, listed)) < 0.02 * VISITS
    shares = [len(part) / len(set(patient.values())) for part in people]
    assert np.allclose(shares, (0.8, 0.1, 0.1), atol=0.02)


def test_dates_are_shifted_beyond_nanoseconds_and_by_seconds(table):
    arrival = table["visits"].select(instants("Arrival_time").alias("at"))["at"]
    assert arrival.dt.year().min() >= 2205 and arrival.dt.year().max() <= 2295
    assert (arrival.dt.year() > 2262).mean() > 0.2
    assert arrival.dt.second().n_unique() > 50


def test_lab_values_look_as_the_laboratory_prints_them(folder, table):
    labs = table["labs"]
    value = labs["Component_value"]
    assert value.str.contains(r"^\.\d+$").any() and not value.str.contains(r"^0\.").any()
    assert (value == ">10.0").any() and (value == "Not Detected").any()
    assert value.str.contains("DIFTYP: AUTO", literal=True).any()
    assert (labs["Component_result"] != value).any()
    assert {"Normal", "High", "Low", "Critical High"} <= set(labs["Component_abnormal"])
    assert labs["Component_name"].str.contains(r"\s$").any()


def test_a_triage_temperature_may_be_impossible(table):
    assert table["visits"]["Triage_Temp"].cast(pl.Float64).min() < 35


def test_impressions_hold_quoted_newlines(folder):
    with (folder / "rads.csv").open(newline="") as handle:
        rows = list(csv.reader(handle))
    assert all(len(row) == 5 for row in rows)
    assert any("\n" in row[4] for row in rows)


def test_what_registration_leaves_out_is_blank(table):
    visits = table["visits"]
    assert visits["Gender"].is_in(["U"]).any() and visits["Triage_acuity"].is_null().any()
    seen = visits.filter(pl.col("DC_dispo") != "ED Only - Left Without Being Seen")
    assert seen["Dispo_time"].is_null().any() and seen["Roomed_time"].is_null().any()
    assert visits["Departure_time"].is_null().any()
    assert 0.5 < visits["Payor_class"].is_null().mean() < 0.75
    assert (
        (visits.filter(pl.col("Admit_time").is_not_null()).select(pl.col("Admit_time") == pl.col("Dispo_time")))
        .to_series()
        .all()
    )


def test_stamps_are_back_dated_and_late(table):
    visits = table["visits"]
    assert visits.select((hours("Roomed_time", "Arrival_time") < 0).any()).item()
    assert visits.select((hours("Dispo_time", "Arrival_time") < 0).any()).item()
    assert visits.select((hours("Dispo_time", "Departure_time") > 0).any()).item()
    assert of_visits(table, "orders").select((hours("Order_time", "Arrival_time") < 0).any()).item()
    assert table["labs"].select((hours("Result_time", "Order_time") < 0).any()).item()
    vitals = of_visits(table, "numerics")
    assert vitals.select((hours("Time", "Arrival_time") < 0).any()).item()
    assert vitals.select((hours("Time", "Departure_time") > 0).any()).item()


@pytest.mark.parametrize("name", ["visits", "orders", "labs", "rads", "numerics", "waveform_summary"])
def test_a_few_rows_are_repeated(table, name):
    assert 0 < table[name].is_duplicated().mean() < 0.01


def test_the_decision_is_ordered_after_it_was_made(table):
    orders = of_visits(table, "orders").filter(hours("Dispo_time", "Arrival_time") > 0)
    orders = orders.filter(hours("Dispo_time", "Departure_time") <= 0)
    admits = orders.filter(pl.col("Procedure_name").is_in(["ADMIT TO INPATIENT", "PLACE IN OBSERVATION STATUS"]))
    assert admits.height and admits.select((hours("Order_time", "Dispo_time") >= 0).mean()).item() > 0.99
    assert not admits["ED_dispo"].is_in(["Discharge"]).any()
    assert of_visits(table, "orders").select((hours("Order_time", "Departure_time") > 0).any()).item()


def test_monitor_and_chart_rows_keep_their_own_measures_units_and_zeros(table):
    numerics = table["numerics"].with_columns(pl.col("Value").cast(pl.Float64))
    measures = {source: set(rows["Measure"]) for (source,), rows in numerics.group_by("Source")}
    assert measures["Chart"] == {"HR", "RR", "SpO2", "SBP", "DBP", "MAP", "Temp", "Pain", "LPM_O2"}
    assert measures["Monitor"] == {"HR", "RR", "SpO2", "SBP", "DBP", "MAP", "Perf", "1min_HRV", "5min_HRV"}
    assert (numerics.filter(pl.col("Measure") == "SpO2")["Value"] == 0).any()
    assert numerics.filter(pl.col("Measure") == "Temp")["Value"].median() > 90
    assert table["visits"]["Triage_Temp"].cast(pl.Float64).median() < 40
    assert 300 < numerics.height / VISITS < 650


def test_mean_pressure_is_derived_from_the_cuff(table):
    numerics = table["numerics"].unique().with_columns(pl.col("Value").cast(pl.Float64))
    wide = numerics.filter(pl.col("Measure").is_in(["SBP", "DBP", "MAP"])).pivot(
        "Measure", index=["CSN", "Source", "Time"], values="Value", aggregate_function="first"
    )
    both = wide.drop_nulls()
    gap = both.select(((pl.col("SBP") + 2 * pl.col("DBP")) / 3 - pl.col("MAP")).abs())
    assert both.height > 1000 and (gap.to_series() < 0.01).mean() > 0.99
    assert wide["MAP"].is_null().any()


def test_monitor_stamps_lie_on_the_minutes_of_the_patient(table):
    monitor = table["numerics"].filter(pl.col("Source") == "Monitor").select("CSN", pl.col("Time").str.slice(17, 2))
    assert monitor.group_by("CSN").agg(pl.col("Time").n_unique())["Time"].max() == 1
    assert monitor["Time"].n_unique() > 30


def test_history_holds_rows_of_the_day_of_the_visit(table):
    days = table["visits"].select("MRN", day=pl.col("Arrival_time").str.slice(0, 10)).unique()
    noted = table["pmh"].select("MRN", day=pl.col("Noted_date").str.slice(0, 10))
    started = table["meds"].select("MRN", day=pl.col("Start_date").str.slice(0, 10))
    assert noted.join(days, on=["MRN", "day"]).height and started.join(days, on=["MRN", "day"]).height
    assert {"Dx9", "Dx10"} == set(table["pmh"]["CodeType"])
    assert not table["pmh"]["Code"].str.contains(".", literal=True).any()
    assert table["pmh"]["Noted_date"].drop_nulls().str.ends_with("T00:00:00Z").all()


def test_hours_to_the_next_visit_agree_with_the_next_row_for_the_most_part(table):
    visits = table["visits"].unique("CSN").with_columns(instants("Arrival_time").alias("at")).sort("MRN", "at")
    gap = (pl.col("at").shift(-1).over("MRN") - instants("Departure_time")).dt.total_seconds() / 3600
    said = visits.with_columns(gap=gap, said=pl.col("Hours_to_next_visit").cast(pl.Float64)).filter(
        pl.col("gap").is_not_null()
    )
    assert ((said["gap"] - said["said"]).abs() < 0.02).mean() > 0.98
    assert (visits["Visit_no"].cast(pl.Int64) <= visits["Visits"].cast(pl.Int64)).all()


def test_shares_are_close_to_those_of_the_release(table):
    visits = table["visits"]
    assert table["waveform_summary"]["CSN"].n_unique() / VISITS == pytest.approx(0.706, abs=0.05)
    assert (visits["Gender"] == "F").mean() == pytest.approx(0.543, abs=0.06)
    assert (visits["Race"] == "White").mean() == pytest.approx(0.403, abs=0.07)
    assert visits["Age"].cast(pl.Int64).mean() == pytest.approx(53, abs=4)
    assert visits["ED_LOS"].cast(pl.Float64).median() == pytest.approx(5, abs=0.5)
    assert VISITS / visits["MRN"].n_unique() == pytest.approx(1.68, abs=0.25)
    assert set(visits["ED_dispo"]) == {"Discharge", "Inpatient", "Observation", "ICU"}
    assert (visits["ED_dispo"] != "Discharge").mean() == pytest.approx(0.31, abs=0.05)
    assert 25 < table["labs"].height / VISITS < 50


def test_a_broken_run_leaves_no_file_and_no_marker(tmp_path):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(SyntheticConfig(visits=300, chunk_patients=250), tmp_path / "cohort", stop)
    assert list((tmp_path / "cohort").iterdir()) == []


def test_truth_says_what_was_planted(folder):
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["planted"]["decompensation"] == ["heart_rate", "blood_pressure", "oxygen_saturation"]
    assert truth["planted"]["disposition"] == ["labs", "orders", "imaging", "history"]
    assert truth["planted"]["revisit"] == ["heart_rate", "temperature", "history"]
    assert json.loads((folder / MARKER).read_text())["visits"] == VISITS


def test_settings_out_of_range_are_named():
    with pytest.raises(ConfigError, match="visits"):
        frontend.read_settings(SyntheticConfig, '{"visits": 3}')
