"""A small made-up MIMIC-CDM folder for tests, and the same admissions as the framework's pickles."""

import csv
import json
import math
import pickle
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pandas as pd
import polars as pl
from cdm_cases import MENU_FILE

from tirec.config.lacdm import CdmSyntheticConfig, LacdmConfig
from tirec.lacdm.assemble import READS, assemble
from tirec.lacdm.menu import read_menu
from tirec.lacdm.records.ingest import ingest_cdm
from tirec.lacdm.records.tables import SCHEMAS, read_tables
from tirec.lacdm.splits import deal
from tirec.lacdm.synthetic import generate

SMALL = 240
PLAIN = LacdmConfig(switches={"initial": "history"})


def write_folder(folder: Path, cases: int = SMALL, **changes: Any) -> Path:
    """A generated folder."""
    generate(CdmSyntheticConfig(cases=cases, **changes), read_menu(MENU_FILE), folder)
    return folder


@cache
def small_folder() -> Path:
    """One generated folder that tests read and do not change."""
    return write_folder(Path(mkdtemp(prefix="cdm")))


def tables_of(root: Path, stage: Path, config: LacdmConfig = PLAIN) -> dict[str, pl.DataFrame]:
    """Every table of a folder."""
    ingest_cdm(root, stage / "tables", stage / "ingest.tsv", config)
    return read_tables(stage / "tables", *SCHEMAS)


@cache
def small_tables() -> dict[str, pl.DataFrame]:
    """The tables of the small folder."""
    return tables_of(small_folder(), Path(mkdtemp(prefix="cdm")))


def cases_of(tables: dict[str, pl.DataFrame], config: LacdmConfig = PLAIN) -> pl.DataFrame:
    """Every case under some configuration, with texts and source rows."""
    shown = {name: tables[name] for name in READS}
    dealt = deal(tables["labels"], tables["people"], config)
    return assemble(shown, dealt, read_menu(MENU_FILE, config.switches), config)


def rewritten(file: Path, **changed: Any) -> None:
    """Replaces columns of a CSV file by the result of a function of the old value."""
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        row |= {name: change(row[name]) for name, change in changed.items()}
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_pickles(root: Path, target: Path) -> Path:
    """The folder's admissions as the framework's converter leaves them: absent keys where there is no row."""
    target.mkdir(parents=True, exist_ok=True)
    rows = {name: _by_admission(root / f"{name}.csv") for name in _FILES}
    for condition, hadms in json.loads((root / "pathology_ids.json").read_text()).items():
        content = {hadm: _admission({name: rows[name].get(str(hadm), []) for name in _FILES}) for hadm in hadms}
        (target / f"{condition}_hadm_info_first_diag.pkl").write_bytes(pickle.dumps(content))
    mapping = pd.read_csv(root / "lab_test_mapping.csv")
    mapping["corresponding_ids"] = mapping["corresponding_ids"].map(json.loads)
    mapping.to_pickle(target / "lab_test_mapping.pkl")
    return target


_FILES = (
    *("history_of_present_illness", "physical_examination", "laboratory_tests", "microbiology", "radiology_reports"),
    *("discharge_diagnosis", "icd_diagnosis", "discharge_procedures", "icd_procedures"),
)


def _by_admission(file: Path) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    with file.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            found.setdefault(row["hadm_id"], []).append(row)
    return found


def _limit(text: str) -> float:
    return float(text) if text else math.nan


def _admission(rows: dict[str, list[dict[str, str]]]) -> dict[str, Any]:
    labs, cultures = rows["laboratory_tests"], rows["microbiology"]
    content: dict[str, Any] = {
        "Patient History": rows["history_of_present_illness"][0]["hpi"],
        "Physical Examination": rows["physical_examination"][0]["pe"],
        "Laboratory Tests": {int(row["itemid"]): row["valuestr"] for row in labs},
        "Reference Range Lower": {int(row["itemid"]): _limit(row["ref_range_lower"]) for row in labs},
        "Reference Range Upper": {int(row["itemid"]): _limit(row["ref_range_upper"]) for row in labs},
        "Radiology": [
            {
                "Note ID": row["note_id"],
                "Modality": row["modality"],
                "Region": row["region"],
                "Exam Name": row["exam_name"],
                "Report": row["text"],
            }
            for row in rows["radiology_reports"]
        ],
        "Discharge Diagnosis": rows["discharge_diagnosis"][0]["discharge_diagnosis"],
        "ICD Diagnosis": [row["icd_diagnosis"] for row in rows["icd_diagnosis"]],
    }
    if cultures:
        content["Microbiology"] = {int(row["test_itemid"]): row["valuestr"] for row in cultures}
        content["Microbiology Spec"] = {int(row["test_itemid"]): int(row["spec_itemid"]) for row in cultures}
    if rows["discharge_procedures"]:
        content["Procedures Discharge"] = [row["discharge_procedure"] for row in rows["discharge_procedures"]]
    for version in ("9", "10"):
        coded = [row for row in rows["icd_procedures"] if row["icd_version"] == version]
        if coded:
            codes = [row["icd_code"] for row in coded]
            content[f"Procedures ICD{version}"] = [int(code) for code in codes] if version == "9" else codes
            content[f"Procedures ICD{version} Title"] = [row["icd_title"] for row in coded]
    return content
