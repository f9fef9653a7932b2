"""MIMIC-IV-ED onto the eight tables, on a made-up folder of two patients: every trap of the format once."""

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tirec.config.data import DataConfig
from tirec.errors import ConfigError, DataError
from tirec.records import formats, mimic_ed
from tirec.records.mimic_ed import words
from tirec.records.schema import Tables

EDSTAYS = """subject_id,hadm_id,stay_id,intime,outtime,gender,race,arrival_transport,disposition
10,900,1,2180-01-01 08:00:00,2180-01-01 12:00:00,F,WHITE - BRAZILIAN,AMBULANCE,HOME
10,900,2,2180-01-01 12:00:00,2180-01-01 20:00:00,F,WHITE - BRAZILIAN,UNKNOWN,ADMITTED
10,,3,2180-01-01 13:00:00,2180-01-01 14:00:00,F,WHITE - BRAZILIAN,WALK IN,HOME
10,,4,2180-01-02 20:00:00,2180-01-03 02:00:00,F,WHITE - BRAZILIAN,WALK IN,EXPIRED
11,,5,2110-05-01 00:30:00,2110-05-01 01:00:00,M,HISPANIC/LATINO - CUBAN,HELICOPTER,OTHER
"""
TRIAGE = """subject_id,stay_id,temperature,heartrate,resprate,o2sat,sbp,dbp,pain,acuity,chiefcomplaint
10,1,36.5,88,16,99,120,879,unable,2,"Abd pain, N/V"
10,2,98.6,88,16,99,120,70,0/10,3.0,Fall
10,3,,,,,,,,,
10,4,2.5,,,,,,13,9,SOB
11,5,,,,,,,denies,,UNKNOWN-CC
"""
VITALSIGN = """subject_id,stay_id,charttime,temperature,heartrate,resprate,o2sat,sbp,dbp,rhythm,pain
10,1,2180-01-01 07:59:59,,60,,,,,,
10,1,2180-01-01 08:10:00,98.6,90,18,98,118,66,sr,asleep
10,1,2180-01-01 12:00:00,,91,,,,,,8.5
10,1,2180-01-01 12:00:01,,200,,,,,,
10,99,2180-01-01 09:00:00,,70,,,,,,
"""
PYXIS = """subject_id,stay_id,charttime,med_rn,name,gsn_rn,gsn
10,1,2180-01-01 09:00:00,1,Aspirin,2,004381
10,1,2180-01-01 09:00:00,1,Aspirin,1,004380
10,1,2180-01-01 13:00:00,2,Morphine,1,
"""
MEDRECON = """subject_id,stay_id,charttime,name,gsn,ndc,etc_rn,etccode,etcdescription
10,1,2180-01-01 09:00:00,aspirin,004380,0,2,00000002,Platelet Aggregation Inhibitors
10,1,2180-01-01 09:00:00,aspirin,004380,0,1,00000001,Salicylate Analgesics
"""
DIAGNOSIS = """subject_id,stay_id,seq_num,icd_code,icd_version,icd_title
10,1,2,0088,9,VIRAL ENTERITIS
10,1,1,R109,10,Unspecified abdominal pain
"""
LABEVENTS = """subject_id,itemid,charttime,storetime,value,valuenum,valueuom,ref_range_lower,ref_range_upper,flag
10,50971,2180-01-01 08:30:00,2180-01-01 09:20:00,5.6,5.6,mEq/L,3.3,5.1,abnormal
10,50971,2180-01-05 08:30:00,2180-01-05 09:20:00,4.0,4.0,mEq/L,3.3,5.1,
10,51491,2180-01-01 09:00:00,,LESS THAN 5,,units,,,
10,51006,2180-01-01 09:00:00,2180-01-01 09:40:00,___,12,mg/dL,6,20,
"""
D_LABITEMS = """itemid,label,fluid,category
50971,Potassium,Blood,Chemistry
51491,pH,Urine,Hematology
51006,Urea Nitrogen,Blood,Chemistry
"""
FILES = {
    "edstays": EDSTAYS,
    "triage": TRIAGE,
    "vitalsign": VITALSIGN,
    "pyxis": PYXIS,
    "medrecon": MEDRECON,
    "diagnosis": DIAGNOSIS,
}


def write(folder: Path, **changed: str) -> Path:
    (folder / "ed").mkdir(parents=True)
    for name, text in (FILES | changed).items():
        (folder / "ed" / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def config(**keys: object) -> DataConfig:
    return DataConfig.model_validate({"format": "mimic_ed", "class": "open"} | keys)


def ingested(tmp_path: Path, settings: DataConfig | None = None, **changed: str) -> dict[str, pl.DataFrame]:
    root = write(tmp_path / "raw", **changed)
    formats.ingest(root, tmp_path / "tables", tmp_path / "ingest.tsv", settings or config())
    return Tables.open(tmp_path / "tables").collect()


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> dict[str, pl.DataFrame]:
    return ingested(tmp_path_factory.mktemp("mimic"))


def test_touching_and_nested_stays_are_one_chain(tables):
    """Stay 1 touches 2, 3 lies inside 2; the patient comes back 24 hours after 2 has ended, not 30 after 3."""
    hours = dict(tables["visits"].select("csn", "hours_to_next_visit").iter_rows())
    assert hours == {1: 0.0, 2: -7.0, 3: 24.0, 4: None, 5: None}


def test_dispositions_by_the_cohort_rules(tables):
    found = {csn: (ed, dc) for csn, ed, dc in tables["visits"].select("csn", "ed_dispo", "dc_dispo").iter_rows()}
    assert found[1] == ("Discharge", "Home") and found[2] == ("Inpatient", "Admitted")
    assert found[4] == ("Discharge", "Expired") and found[5] == (None, "Other")


def test_rooming_is_arrival_and_decisions_have_no_time(tables):
    visits = tables["visits"]
    assert visits["roomed_s"].to_list() == [0] * 5 and visits["departure_s"][0] == 4 * 3600
    assert visits["dispo_s"].null_count() == visits["admit_s"].null_count() == 5


def test_temperature_units_are_decided_value_by_value(tables):
    said = [None if value is None else round(value, 2) for value in tables["visits"]["triage_temp_c"]]
    assert said == [36.5, 37.0, None, None, None]


def test_words_of_arrival_race_acuity_complaint(tables):
    visits = tables["visits"]
    assert visits["means_of_arrival"].to_list() == ["EMS", "Unknown", "Self", "Self", "EMS"]
    assert visits["race"].to_list() == ["White"] * 4 + ["Other"]
    assert visits["ethnicity"].to_list() == [None] * 4 + ["Hispanic/Latino"]
    assert visits["triage_acuity"].to_list() == ["2-Emergent", "3-Urgent", None, None, None]
    assert visits["cc"].to_list() == ["ABD PAIN,N/V", "FALL", None, "SOB", "UNKNOWN-CC"]
    assert visits["dx_icd10"][0] == "R109" and visits["dx_icd9"][0] is None


def test_readings_outside_the_stay_are_dropped_at_the_second(tables):
    rates = tables["numerics"].filter(pl.col("measure") == "HR")
    assert rates["time_s"].to_list() == [600, 4 * 3600] and rates["value"].to_list() == [90, 91]
    assert set(rates["source"]) == {"Monitor"}


def test_pain_is_a_number_or_a_word_for_none(tables):
    pains = tables["numerics"].filter(pl.col("measure") == "Pain").select("csn", "source", "value", "time_s").rows()
    assert pains == [(1, "Monitor", 8.5, 14400), (2, "Chart", 0.0, 0), (4, "Chart", 13.0, 0), (5, "Chart", 0.0, 0)]


def test_a_dispensing_is_one_order_with_its_first_code(tables):
    rows = tables["orders"].select("order_s", "procedure_name", "procedure_id", "first_admin_s").rows()
    assert rows == [(3600, "Aspirin", "004380", 3600), (5 * 3600, "Morphine", None, 5 * 3600)]


def test_history_is_of_the_day_it_was_told(tables):
    day = (pl.date(2180, 1, 1) - pl.date(1970, 1, 1)).dt.total_days()
    days = pl.select(day).item()
    assert tables["meds"].select("mrn", "name", "med_class", "med_subclass", "ndc", "entry_day").rows() == [
        (10, "aspirin", "Salicylate Analgesics", "Platelet Aggregation Inhibitors", None, days)
    ]
    assert tables["pmh"].select("code_type", "code", "noted_day").rows() == [
        ("Dx9", "0088", days),
        ("Dx10", "R109", days),
    ]


def test_what_has_no_counterpart_is_empty_and_said(tmp_path):
    tables = ingested(tmp_path)
    audit = (tmp_path / "ingest.tsv").read_text()
    assert [name for name, frame in tables.items() if frame.is_empty()] == ["labs", "rads", "waveform_summary"]
    for line in ("rads\tmade from\tnothing", "stand as Monitor", "arrival stands for it", "never read"):
        assert line in audit


def test_hospital_labs_by_patient_and_time(tmp_path):
    hosp = tmp_path / "hosp"
    hosp.mkdir()
    (hosp / "labevents.csv").write_text(LABEVENTS)
    (hosp / "d_labitems.csv").write_text(D_LABITEMS)
    labs = ingested(tmp_path, config(lab_delay_minutes=30))["labs"]  # the folder hosp/ beside the records is found
    assert labs.select("order_s", "result_s", "component_name", "component_result", "value", "sign").rows() == [
        (1800, 4800, "POTASSIUM", "5.6", 5.6, ""),
        (3600, 3600 + 1800, "PH, URINE", "LESS THAN 5", 5.0, "<"),
        (3600, 6000, "BLOOD UREA NITROGEN (BUN)", "12", 12.0, ""),
    ]
    assert labs["nml_high"].to_list() == [5.1, None, 20.0] and labs["component_abnormal"][0] == "abnormal"
    assert "dropped: outside every stay\t1" in (tmp_path / "ingest.tsv").read_text()


def edited(name: str, old: str, new: str) -> Callable[[], dict[str, str]]:
    assert old in FILES[name]
    return lambda: {name: FILES[name].replace(old, new)}


FAULTS = {
    "unknown disposition": (
        edited("edstays", "HELICOPTER,OTHER", "HELICOPTER,DISCHARGED"),
        "edstays.csv.gz: column disposition, row 5: none of ADMITTED, HOME",
    ),
    "stay with two rows": (
        edited("edstays", "11,,5,", "10,,4,"),
        "edstays.csv.gz: column intime: rows 4 and 5 are the same stay_id with different values",
    ),
    "text in a number": (
        edited("vitalsign", ",98.6,90,", ",warm,90,"),
        "vitalsign.csv.gz: column temperature, row 2: is not a number",
    ),
    "another time format": (
        edited("edstays", "2110-05-01 00:30:00", "2110-05-01T00:30:00Z"),
        "edstays.csv.gz: column intime, row 5: is not a time",
    ),
    "missing column": (edited("pyxis", "gsn_rn", "gsnrn"), "pyxis.csv.gz: column gsn_rn is missing"),
    "empty table": (lambda: {"medrecon": MEDRECON.splitlines()[0] + "\n"}, "medrecon.csv.gz: has a header but no rows"),
    "no stay known": (
        lambda: {"diagnosis": DIAGNOSIS.replace("10,1,", "10,77,")},
        "diagnosis.csv.gz: none of its 2 rows can be used (unknown stay_id of this subject_id)",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_line_and_leaves_nothing_behind(name, tmp_path):
    change, expected = FAULTS[name]
    with pytest.raises(DataError) as caught:
        ingested(tmp_path, **change())
    assert expected in str(caught.value) and "\n" not in str(caught.value)
    assert not list((tmp_path / "tables").glob("*.parquet")) and not (tmp_path / "ingest.tsv").exists()


def test_labs_that_are_not_there_are_a_fault(tmp_path):
    root = write(tmp_path / "raw")
    with pytest.raises(ConfigError, match="neither a file nor a folder"):
        mimic_ed.source_files(root, config(labs=str(tmp_path / "none")))
    with pytest.raises(DataError, match="neither this folder nor its ed/ holds edstays"):
        mimic_ed.source_files(tmp_path, config())


@pytest.mark.parametrize(
    ("said", "number"), [("8", 8), (" 8.5", 8.5), ("0/10", 0), ("Denies", 0), ("ett", None), ("8 of 10", None)]
)
def test_pain_words(said, number):
    assert pl.select(words.pain(pl.lit(said))).item() == number


@pytest.mark.parametrize(
    ("label", "fluid", "name"),
    [
        ("White Blood Cells", "Blood", "WHITE BLOOD CELLS (WBC)"),
        ("Glucose", "Urine", "GLUCOSE, URINE"),
        ("Albumin", "Ascites", "ALBUMIN, ASCITES FLUID"),
        ("Protein", "Cerebrospinal Fluid", "PROTEIN, CEREBROSPINAL FLUID"),
    ],
)
def test_a_test_of_another_fluid_is_never_a_blood_test(label, fluid, name):
    assert pl.select(words.component(pl.lit(label), pl.lit(fluid))).item() == name
