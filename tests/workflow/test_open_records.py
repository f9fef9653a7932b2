"""Real records of another hospital: the open MIMIC-IV-ED demo through every CPU stage, with the counts known of it.

The folder comes from TIREC_OPEN_DATA and holds `mimic-iv-ed-demo/` and `mimic-iv-demo/`. A test of robustness on real
mess: nothing is claimed about results on 64 patients.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tirec.agent.cases import open_cases
from tirec.config.cohort import INSTANCE_SETS, SETTINGS, SPLITS, TASKS

CHECKOUT = Path(__file__).resolve().parents[2]
OPEN_DATA = os.environ.get("TIREC_OPEN_DATA")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not OPEN_DATA, reason="open data absent")]


def study(folder: Path, overlay: dict[str, object], *targets: str) -> str:
    """Runs the workflow to its targets in `folder`; what it printed."""
    data = Path(str(OPEN_DATA)).resolve()
    settings = {
        "data": {
            "root": str(data / "mimic-iv-ed-demo"),
            "format": "mimic_ed",
            "class": "open",
            "labs": str(data / "mimic-iv-demo" / "derived_ed_labs.csv.gz"),
        }
    }
    (folder / "study.yaml").write_text(json.dumps(settings | overlay))
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--directory", folder, "--snakefile"]
    command += [CHECKOUT / "Snakefile", "--configfile", folder / "study.yaml", "--", *targets]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:] + "".join(p.read_text() for p in folder.glob("logs/**/*.log"))
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    study(folder, {}, "results/episodes/train.arrow", "results/audit/exclusions.tsv")
    return folder / "results"


@pytest.fixture(scope="module")
def audit(results) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for table, check, value in pl.read_csv(results / "audit" / "ingest.tsv", separator="\t").iter_rows():
        found.setdefault((table, check), []).append(str(value))
    return found


@pytest.fixture(scope="module")
def tables(results) -> dict[str, pl.DataFrame]:
    return {path.stem: pl.read_parquet(path) for path in (results / "tables").glob("*.parquet")}


AUDIT = {
    ("folder", "data class"): "open",
    ("folder", "files checked against SHA256SUMS.txt"): "6",
    ("visits", "visits"): "222",
    ("visits", "patients"): "64",
    ("file edstays", "rows kept"): "222",
    ("file edstays", "column not read"): "hadm_id",
    ("file vitalsign", "dropped: before arrival"): "2",
    ("file vitalsign", "dropped: after departure"): "67",
    ("numerics", "stays with any row of vitalsign"): "206",
    ("numerics", "stays whose last row of vitalsign is after departure"): "27",
    ("orders", "rows of pyxis before arrival"): "4",
    ("orders", "rows of pyxis after departure"): "49",
    ("file pyxis", "rows read"): "1082",
    ("file medrecon", "dropped: another class of the same medicine"): "377",
    ("meds", "rows of medrecon with ndc 0, left blank"): "15",
    ("file diagnosis", "rows read"): "545",
    ("visits", "stays without a diagnosis"): "1",
    ("visits", "triage rows without any vital sign"): "23",
    ("visits", "triage temperatures taken as degrees Celsius"): "1",
    ("visits", "triage temperatures possible in neither unit, left blank"): "0",
    ("visits", "stays that touch or overlap the patient's next stay"): "1",
    ("visits", "departure at or before arrival"): "0 of 222",
    ("visits", "value of Triage_acuity: (blank)"): "15",
    ("labs", "rows"): "11077",
    ("rads", "rows"): "0",
    ("waveform_summary", "rows"): "0",
}


@pytest.mark.parametrize(("table", "check"), AUDIT)
def test_the_audit_says_what_is_known_of_the_files(audit, table, check):
    assert audit[table, check] == [AUDIT[table, check]]


def test_the_audit_says_what_stands_for_what(audit):
    assert "stand as Monitor" in audit["numerics", "made from"][0]
    assert any("arrival stands for it" in line for line in audit["visits", "no counterpart"])


def test_dispositions_are_the_stays_own_and_never_hadm_id(tables):
    counts = dict(tables["visits"].group_by("dc_dispo").len().iter_rows())
    assert counts == {
        "Admitted": 150,
        "Home": 60,
        "Transfer to another hospital": 5,
        "Left Against Medical Advice": 2,
        "ED Only - Left Without Being Seen": 2,
        "Other": 2,
        "Eloped (Left Against Medical Advice)": 1,
    }
    home = tables["visits"].filter(pl.col("dc_dispo") == "Home")
    assert home["ed_dispo"].unique().to_list() == ["Discharge"]  # 17 of these 60 carry a hadm_id
    binary = tables["visits"].filter(pl.col("dc_dispo").is_in(["Admitted", "Home"]))
    assert (binary["ed_dispo"] == "Inpatient").sum() == 150 and binary.height == 210


def test_a_stay_that_goes_on_elsewhere_is_no_return(results, tables):
    home = tables["visits"].filter(pl.col("dc_dispo") == "Home")
    hours = home["hours_to_next_visit"]
    assert (hours == 0).sum() == 1 and (hours < 0).sum() == 0
    for setting, returned in {"3d": 3, "7d": 5, "14d": 6}.items():
        part = pl.read_parquet(results / "instances" / "revisit" / f"{setting}.parquet")
        assert part.join(home, on="csn", how="semi")["label"].sum() == returned
    fates = pl.read_csv(results / "audit" / "exclusions.tsv", separator="\t").filter(pl.col("task") == "revisit")
    assert fates.filter(pl.col("reason") == "overlapping_next_visit")["n"].to_list() == [1, 1, 1]
    assert home.filter(pl.col("hours_to_next_visit").is_between(71.795, 71.805)).height == 1  # an edge of three days


def test_every_visit_has_one_fate_in_every_set(results):
    fates = pl.read_csv(results / "audit" / "exclusions.tsv", separator="\t")
    assert fates.group_by("task", "setting").agg(pl.col("n").sum())["n"].to_list() == [222] * len(INSTANCE_SETS)


def test_values_are_kept_as_they_are_and_impossible_ones_never_used(tables, audit):
    visits, numerics = tables["visits"], tables["numerics"]
    assert visits["triage_dbp"].max() == 879
    assert visits["triage_temp_c"].drop_nulls().is_between(34, 42).all()  # a blind conversion would say 2.5
    monitor = numerics.filter(pl.col("source") == "Monitor")
    temperatures = monitor.filter(pl.col("measure") == "Temp")["value"]
    assert round(temperatures.min(), 1) == 31.4 and round(temperatures.max(), 1) == 104.9
    assert audit["numerics", "impossible values of Monitor SpO2"] == ["1"]
    assert audit["numerics", "impossible values of Monitor SBP"] == ["1"]
    assert audit["numerics", "impossible values of Chart Pain"] == ["7"]  # 13 of 10


def test_no_reading_lies_outside_its_stay(tables):
    stay = tables["visits"].select("csn", "departure_s")
    times = tables["numerics"].join(stay, on="csn")
    assert times.height == tables["numerics"].height
    assert (times["time_s"] >= 0).all() and (times["time_s"] <= times["departure_s"]).all()


def test_codes_keep_their_leading_zeros(tables):
    assert tables["pmh"]["code"].str.starts_with("0").sum() == 6
    assert dict(tables["pmh"].group_by("code_type").len().iter_rows()).keys() == {"Dx9", "Dx10"}
    codes = tables["orders"]["procedure_id"].drop_nulls()
    assert codes.str.starts_with("0").sum() > 0.95 * len(codes)


def test_laboratory_results_by_specimen_time(tables):
    early = tables["labs"].filter(pl.col("order_s") <= 2 * 3600)
    assert early.height == 6820 and early["csn"].n_unique() == 152
    assert tables["labs"].filter(pl.col("order_s") <= 4 * 3600)["csn"].n_unique() == 201
    assert (tables["labs"]["result_s"] - tables["labs"]["order_s"]).unique().to_list() == [3600]


def test_no_patient_is_in_two_splits(results):
    splits = pl.read_parquet(results / "splits.parquet")
    assert splits.height == 222 and set(splits["split"]) == set(SPLITS)
    assert splits.group_by("mrn").agg(pl.col("split").n_unique())["split"].max() == 1


def test_episodes_hold_cases_of_all_three_tasks(results):
    for split in SPLITS:
        frame = open_cases(results / "episodes" / f"{split}.arrow").frame
        assert set(frame["task"]) == set(TASKS) and set(frame["setting"]) <= {s for t in TASKS for s in SETTINGS[t]}
        assert frame["risk"].is_between(0, 1).all()


def test_empty_splits_and_one_class_are_said_and_stop_nothing(tmp_path):
    shares = {"hash_validation_share": 0, "hash_test_share": 0}
    overlay = {"cohort": {"splits": shares, "decompensation": {"coverage": "full_horizon", "persistence": "two"}}}
    study(tmp_path, overlay, "results/episodes/train.arrow")
    said = "".join(path.read_text() for path in (tmp_path / "logs").glob("**/*.log"))
    assert said.count("note: the split validation is empty") == said.count("note: the split test is empty") == 1
    assert len(open_cases(tmp_path / "results" / "episodes" / "test.arrow")) == 0
