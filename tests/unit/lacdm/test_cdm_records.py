"""MIMIC-CDM as tables: both forms of the folder say the same, faults are named, pickles run nothing."""

import json
import pickle
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from cdm_folder import PLAIN, small_folder, small_tables, tables_of, write_pickles

from tirec.config.lacdm import LacdmConfig
from tirec.errors import ConfigError, DataError
from tirec.lacdm.records.folder import locate_cdm
from tirec.lacdm.records.unpickling import load_containers


@pytest.fixture
def folder(tmp_path) -> Path:
    return Path(shutil.copytree(small_folder(), tmp_path / "cdm"))


def _without_sums(folder: Path) -> Path:
    (folder / "SHA256SUMS.txt").unlink()
    return folder


def _alike(frame: pl.DataFrame, other: pl.DataFrame) -> bool:
    keys = [name for name in frame.columns if name not in ("row", "corresponding_ids")]
    return frame.select(keys).sort(keys, nulls_last=True).equals(other.select(keys).sort(keys, nulls_last=True))


def test_every_file_and_column_becomes_a_table():
    tables = small_tables()
    assert tables["labels"].height == tables["history"].height == tables["examination"].height == 240
    assert tables["laboratory"].columns == ["row", "hadm_id", "itemid", "value", "lower", "upper"]
    assert 0.2 < tables["laboratory"]["lower"].null_count() / tables["laboratory"].height < 0.35
    assert tables["people"]["subject_id"].null_count() == 0
    assert tables["charted"].height == tables["radiology"].height


def test_the_pickles_say_the_same_as_the_files(tmp_path):
    read = tables_of(write_pickles(small_folder(), tmp_path / "pickles"), tmp_path)
    for name, table in small_tables().items():
        if name in ("people", "charted"):  # the pickles have no MIMIC-IV beside them
            assert read[name].is_empty()
        else:
            assert _alike(read[name], table), name
    panel = read["items"].filter(pl.col("label") == "Complete Blood Count (CBC)")
    assert panel["corresponding_ids"][0].to_list()[:2] == [51279, 51301]


class _Harmful:
    def __reduce__(self):
        return (Path.touch, (Path("should_not_exist"),))


@pytest.mark.parametrize("content", [{1: _Harmful()}, [Path("x")], re.compile("x")])
def test_a_pickle_that_asks_for_more_than_containers_is_not_loaded(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "appendicitis.pkl"
    file.write_bytes(pickle.dumps(content))
    with pytest.raises(
        DataError, match=r"appendicitis\.pkl: is not a pickle of plain containers \(it asks for .*not loaded"
    ):
        load_containers(file)
    assert not (tmp_path / "should_not_exist").exists()


def test_a_cut_pickle_is_named(tmp_path):
    file = tmp_path / "x.pkl"
    file.write_bytes(pickle.dumps({"a": 1})[:-3])
    with pytest.raises(DataError, match=r"x\.pkl"):
        load_containers(file)


def test_a_changed_file_fails_its_checksum(folder, tmp_path):
    with (folder / "physical_examination.csv").open("a") as handle:
        handle.write("29999999,x\n")
    with pytest.raises(DataError, match=r"physical_examination\.csv: its SHA-256 is not the one"):
        tables_of(folder, tmp_path)


def test_an_admission_without_a_label_stops_the_run(folder, tmp_path):
    with (_without_sums(folder) / "physical_examination.csv").open("a") as handle:
        handle.write("29999999,x\n")
    with pytest.raises(DataError, match="1 rows of examination belong to an admission without a condition"):
        tables_of(folder, tmp_path)


def test_labels_must_be_disjoint(folder, tmp_path):
    labels = json.loads((folder / "pathology_ids.json").read_text())
    labels["pancreatitis"].append(labels["appendicitis"][0])
    (_without_sums(folder) / "pathology_ids.json").write_text(json.dumps(labels))
    with pytest.raises(DataError, match=r"pathology_ids\.json: an admission stands in it twice"):
        tables_of(folder, tmp_path)


def test_a_missing_column_is_named(folder, tmp_path):
    file = _without_sums(folder) / "radiology_reports.csv"
    file.write_text(file.read_text().replace("modality", "modalities", 1))
    with pytest.raises(DataError, match=r"radiology_reports\.csv: column modality is missing"):
        tables_of(folder, tmp_path)


def test_a_list_of_ids_that_is_none_is_named(folder, tmp_path):
    file = _without_sums(folder) / "lab_test_mapping.csv"
    file.write_text(file.read_text().replace("[51279]", "__import__('os')", 1))
    with pytest.raises(DataError, match=r"lab_test_mapping\.csv: column corresponding_ids, row 2: is not a list"):
        tables_of(folder, tmp_path)


def test_two_times_of_one_report_are_named(folder, tmp_path):
    file = folder / "mimic-iv/note/radiology.csv"
    first = file.read_text().splitlines()[1]
    with file.open("a") as handle:
        handle.write(first[:-19] + "2190-01-01 00:00:00\n")
    with pytest.raises(DataError, match=r"radiology\.csv: column charttime: rows 1 and .* are the same note_id"):
        tables_of(folder, tmp_path)


def test_where_the_folder_is(monkeypatch, tmp_path):
    monkeypatch.delenv("MIMIC_CDM_ROOT", raising=False)
    with pytest.raises(ConfigError, match=r"set lacdm\.root, or MIMIC_CDM_ROOT"):
        locate_cdm(LacdmConfig())
    monkeypatch.setenv("MIMIC_CDM_ROOT", str(tmp_path))
    assert locate_cdm(LacdmConfig()) == tmp_path
    with pytest.raises(DataError, match=r"holds neither pathology_ids\.json"):
        tables_of(tmp_path, tmp_path / "out", PLAIN)
