"""Worked examples of reading a records folder: each oddity of the format and what becomes of it."""

from pathlib import Path

import polars as pl
import pytest
from mcmed_folder import OTHER, SECOND, VISIT, sample, table, write_folder

from tirec.config.data import DataConfig
from tirec.errors import ConfigError, DataError
from tirec.records import mcmed
from tirec.records.folder import MARKER, locate_root
from tirec.records.schema import SPECS, Tables

LENIENT = DataConfig(max_bad_share=0.9)


def ingest(root: Path, config: DataConfig = LENIENT) -> dict[str, pl.DataFrame]:
    mcmed.ingest(root, root.parent / "tables", root.parent / "audit" / "ingest.tsv", config)
    return Tables.open(root.parent / "tables").collect()


def read_audit(root: Path) -> dict[tuple[str, str], str]:
    frame = pl.read_csv(root.parent / "audit" / "ingest.tsv", separator="\t", infer_schema=False)
    assert frame.columns == ["table", "check", "value"]
    return {(name, check): value for name, check, value in frame.iter_rows()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "raw")


def test_every_table_has_the_columns_and_types_of_its_specification(root: Path) -> None:
    for name, frame in ingest(root).items():
        assert frame.schema == SPECS[name].schema


def test_visits_are_sorted_and_their_times_are_seconds_from_arrival_after_year_2262(root: Path) -> None:
    visits = ingest(root)["visits"]
    assert visits["csn"].to_list() == [98000001, 98000003, 98000007]
    assert visits["row"].to_list() == [2, 3, 1]
    assert visits["departure_s"].to_list() == [17352, 17352, 21600]
    assert visits["dispo_s"].to_list() == [15018, 15018, None]
    arrived = pl.from_epoch(visits["arrival_abs_s"], time_unit="s").dt.to_string("%Y-%m-%dT%H:%M:%S")
    assert arrived.to_list() == ["2283-03-02T07:20:42", "2205-03-02T07:20:42", "2295-12-31T20:00:00"]
    assert visits["arrival_day"].to_list() == (visits["arrival_abs_s"] // 86400).to_list()


def test_blank_fields_are_missing_and_a_complaint_keeps_its_commas(root: Path) -> None:
    visits = ingest(root)["visits"]
    assert visits["triage_acuity"].to_list() == ["3-Urgent", "3-Urgent", None]
    assert visits["cc"][0] == "CHEST PAIN,NAUSEA"
    assert visits["gender"].to_list() == ["F", "F", "U"]


def test_lab_values_keep_their_text_and_get_number_and_sign_only_where_they_are_one(root: Path) -> None:
    labs = ingest(root)["labs"]
    found = dict(zip(labs["component_value"], zip(labs["value"], labs["sign"], strict=True), strict=True))
    assert found == {
        ".93": (0.93, ""),
        ">10.0": (10.0, ">"),
        "NEG": (None, ""),
        "0-2": (None, ""),
        "DIFTYP: AUTO": (None, ""),
    }
    assert "two\nlines, one" in labs["component_result"].to_list()


def test_numerics_keep_what_lies_between_arrival_and_departure_once(root: Path) -> None:
    numerics = ingest(root)["numerics"]
    assert numerics["row"].to_list() == [7, 3, 1, 2, 4, 8, 11]
    assert numerics["time_s"].to_list() == [0, 1048, 1260, 1260, 1260, 17352, 14400]
    found = read_audit(root)
    assert found["numerics", "rows read"] == "11"
    assert found["numerics", "rows kept"] == "7"
    for reason in ("before arrival", "after departure", "duplicate", "unknown CSN"):
        assert found["numerics", f"dropped: {reason}"] == "1"


def test_an_order_before_arrival_stays_with_a_negative_time(root: Path) -> None:
    orders = ingest(root)["orders"]
    assert orders.filter(csn=98000003)["order_s"].to_list() == [-1242]


def test_history_has_absolute_days(root: Path) -> None:
    tables = ingest(root)
    assert tables["pmh"]["noted_day"].to_list() == [113721]
    assert tables["meds"].select("entry_day", "start_day", "end_day").row(0) == (114156, 114156, None)
    assert tables["pmh"]["code"].to_list() == ["I10"]


def test_equal_orders_are_one_order_with_the_earliest_stamps(tmp_path: Path) -> None:
    rows = sample()
    first = rows["orders"][0]
    rows["orders"] += [first | {"Result_time": "2283-03-02T08:00:42Z"}, first | {"Result_time": ""}]
    orders = ingest(write_folder(tmp_path / "raw", rows))["orders"]
    assert orders.filter(procedure_id="LABCBCD").select("row", "result_s").rows() == [(1, 2400)]


def test_equal_prescriptions_are_one_that_stays_open(tmp_path: Path) -> None:
    rows = sample()
    rows["meds"].append(rows["meds"][0] | {"End_date": "2283-01-01T00:00:00Z", "Active": "N"})
    assert ingest(write_folder(tmp_path / "raw", rows))["meds"].select("row", "end_day").rows() == [(1, None)]


def test_labs_with_one_key_and_different_values_are_both_kept(tmp_path: Path) -> None:
    rows = sample()
    rows["labs"].append(rows["labs"][0] | {"Component_value": "1.1"})
    labs = ingest(write_folder(tmp_path / "raw", rows))["labs"]
    assert labs.filter(component_name="CREATININE")["value"].to_list() == [0.93, 1.1]


def test_equal_visit_rows_are_one_visit(tmp_path: Path) -> None:
    rows = sample() | {"visits": [VISIT, OTHER, SECOND, VISIT]}
    root = write_folder(tmp_path / "raw", rows)
    assert ingest(root)["visits"].height == 3
    assert read_audit(root)["visits", "dropped: duplicate"] == "1"


def test_a_bad_row_is_set_aside_and_counted_below_the_share(tmp_path: Path) -> None:
    rows = sample()
    rows["numerics"][1]["Time"] = "yesterday"
    root = write_folder(tmp_path / "raw", rows)
    assert 2 not in ingest(root)["numerics"]["row"].to_list()
    assert read_audit(root)["numerics", "set aside: Time is not a time"] == "1"


def test_the_files_may_lie_in_data_and_have_more_columns_in_another_order(tmp_path: Path) -> None:
    rows = sample()
    folder = write_folder(tmp_path / "raw" / "data", rows)
    numerics = folder / "numerics.csv"
    lines = [line.split(",") for line in numerics.read_text().splitlines()]
    numerics.write_text("".join(",".join([*reversed(line), "x"]) + "\n" for line in lines))
    assert ingest(tmp_path / "raw")["numerics"].height == 7
    assert read_audit(tmp_path / "raw")["numerics", "column not read"] == "x"


def test_a_value_never_seen_before_is_kept_and_reported(tmp_path: Path) -> None:
    rows = sample()
    rows["visits"][1] = VISIT | {"Means_of_arrival": "Helicopter"}
    root = write_folder(tmp_path / "raw", rows)
    (root / MARKER).write_text("{}")
    assert "Helicopter" in ingest(root)["visits"]["means_of_arrival"].to_list()
    assert read_audit(root)["visits", "never seen value of Means_of_arrival: Helicopter"] == "1"


def test_the_audit_hides_small_counts_and_odd_values_of_credentialed_data(tmp_path: Path) -> None:
    rows = sample()
    rows["visits"][1] = VISIT | {"Race": "99000001"}
    root = write_folder(tmp_path / "raw", rows)
    ingest(root)
    text = (tmp_path / "audit" / "ingest.tsv").read_text()
    assert "9900000" not in text and "9800000" not in text
    assert read_audit(root)["visits", "value of Gender: U"] == "<11"
    assert read_audit(root)["visits", "range of age"] == "<11 patients"


def test_a_folder_that_the_generator_marked_is_synthetic(root: Path) -> None:
    assert mcmed.data_class(root, "open") == "open"
    (root / MARKER).write_text("{}")
    assert mcmed.data_class(root) == "synthetic"
    assert mcmed.data_class(root.parent, "credentialed") == "credentialed"


@pytest.mark.parametrize("place", [".", "data", ".."])
def test_a_licence_for_credentialed_access_outweighs_configuration_and_marker(tmp_path: Path, place: str) -> None:
    root = tmp_path / "project" / "records"
    (root / "data").mkdir(parents=True)
    (root / MARKER).write_text("{}")
    (root / place / "LICENSE.txt").write_text("PhysioNet Credentialed Health Data License\nVersion 1.5.0\n")
    assert mcmed.data_class(root, "open") == "credentialed"
    (root / place / "LICENSE.txt").write_text("Open Data Commons Open Database License\n")
    assert mcmed.data_class(root, "open") == "synthetic"


def test_a_second_run_writes_the_same_bytes_and_leaves_nothing_behind(root: Path) -> None:
    ingest(root)
    tables = root.parent / "tables"
    before = {path.name: path.read_bytes() for path in tables.iterdir()}
    ingest(root)
    assert {path.name: path.read_bytes() for path in tables.iterdir()} == before
    assert set(before) == {f"{name}.parquet" for name in SPECS} | {".raw_files.json"}


def test_a_fault_leaves_earlier_results_as_they_were(root: Path) -> None:
    ingest(root)
    tables = root.parent / "tables"
    before = {path.name: path.read_bytes() for path in tables.glob("*.parquet")}
    (root / "pmh.csv").write_bytes(b"MRN,Noted_date\n1,2\n")
    with pytest.raises(DataError, match=r"pmh.csv: column CodeType is missing"):
        ingest(root)
    rows = sample()
    rows["pmh"][0]["CCS"] = "many"
    write_folder(root, rows)
    with pytest.raises(DataError, match=r"pmh.csv: column CCS, row 1: is not a number"):
        ingest(root, DataConfig())
    assert {path.name: path.read_bytes() for path in tables.glob("*.parquet")} == before
    assert not list(tables.glob(".ingest*"))


def test_restricting_to_visits_keeps_the_patients_other_visits(root: Path) -> None:
    ingest(root)
    chosen = Tables.open(root.parent / "tables").for_visits([98000007]).collect()
    assert chosen["visits"]["csn"].to_list() == [98000001, 98000007]
    assert chosen["numerics"]["csn"].unique().to_list() == [98000007]
    assert chosen["meds"].height == chosen["pmh"].height == 1
    assert chosen["labs"].is_empty()


def test_the_root_comes_from_the_configuration_or_the_environment(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MCMED_ROOT", raising=False)
    with pytest.raises(ConfigError, match=r"set data\.root, or MCMED_ROOT"):
        locate_root(DataConfig())
    monkeypatch.setenv("MCMED_ROOT", str(root))
    assert locate_root(DataConfig()) == root
    with pytest.raises(ConfigError, match="does not exist"):
        locate_root(DataConfig(root=str(root / "nowhere")))


def test_split_files_have_no_header_and_keep_their_first_visit(root: Path) -> None:
    assert mcmed.read_split_files(root).rows() == [
        (98000001, "train"),
        (98000003, "validation"),
        (98000007, "train"),
        (98000009, "test"),
    ]


def test_chart_and_monitor_rows_of_one_second_are_both_kept(tmp_path: Path) -> None:
    rows = sample()
    rows["numerics"] = table(
        "numerics",
        ("98000001", "Chart", "HR", "90", "2283-03-02T07:41:42Z"),
        ("98000001", "Monitor", "HR", "90", "2283-03-02T07:41:42Z"),
    )
    assert ingest(write_folder(tmp_path / "raw", rows))["numerics"]["source"].to_list() == ["Chart", "Monitor"]
