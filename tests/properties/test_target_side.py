"""Nothing written down at discharge, and nothing of who the person is, reaches what an agent is given."""

import shutil

import polars as pl
import pytest
from cdm_folder import PLAIN, cases_of, rewritten, small_folder, small_tables, tables_of

from tirec.config.lacdm import LacdmConfig

GIVEN = ("history", "Physical Examination", "CT", "MRI", "Radiograph", "Ultrasound", "Complete Blood Count",
         "Comprehensive Metabolic Panel", "Urinalysis")  # fmt: skip
CONFIGS = {
    "paper": PLAIN,
    "headline": LacdmConfig(style="headline", switches={"initial": "history"}),
    "repaired": LacdmConfig(preset="repaired", switches={"split": "admission"}),
}


def another(_: str) -> str:
    return "Acute pancreatitis; appendectomy"


@pytest.fixture(scope="module")
def changed(tmp_path_factory) -> dict[str, pl.DataFrame]:
    """The tables of a folder whose every target-side value, age, sex and patient number is another one."""
    stage = tmp_path_factory.mktemp("target")
    folder = stage / "cdm"
    shutil.copytree(small_folder(), folder)
    (folder / "SHA256SUMS.txt").unlink()
    rewritten(folder / "discharge_diagnosis.csv", discharge_diagnosis=another)
    rewritten(folder / "icd_diagnosis.csv", icd_diagnosis=another)
    rewritten(folder / "discharge_procedures.csv", discharge_procedure=another)
    rewritten(folder / "icd_procedures.csv", icd_code=lambda _: "X", icd_title=another, icd_version=lambda _: "9")
    rewritten(folder / "mimic-iv/hosp/patients.csv", gender=lambda _: "F", anchor_age=lambda _: "99")
    return tables_of(folder, stage)


def texts(cases: pl.DataFrame) -> bytes:
    """Every column that an agent or an environment reads, as bytes."""
    shown = [name for name in cases.columns if name not in ("age", "sex", "patient", "split")]
    return cases.select(shown).write_json().encode()


@pytest.mark.parametrize("name", CONFIGS)
def test_target_side_values_change_no_byte_of_any_text(changed, name):
    ours, theirs = (cases_of(tables, CONFIGS[name]) for tables in (small_tables(), changed))
    assert texts(ours) == texts(theirs)
    target = small_tables()["target/icd_diagnosis"]["text"]
    assert not target.equals(changed["target/icd_diagnosis"]["text"])


def test_a_change_of_the_record_is_seen_where_one_of_discharge_is_not():
    """The comparison above is not idle: another examination changes the bytes."""
    tables = small_tables()
    exam = tables["examination"].with_columns(text=pl.col("text").str.replace("Abd", "Abdomen"))
    assert texts(cases_of(tables)) != texts(cases_of(tables | {"examination": exam}))


def test_a_case_can_be_built_where_the_target_side_does_not_exist():
    tables = {name: table for name, table in small_tables().items() if not name.startswith("target/")}
    assert texts(cases_of(tables)) == texts(cases_of(small_tables()))


def test_texts_do_not_depend_on_the_label():
    """Where availability is not hidden, the label decides no byte."""
    tables = small_tables()
    labels = tables["labels"].with_columns(condition=pl.col("condition").reverse())
    ours, theirs = cases_of(tables), cases_of(tables | {"labels": labels})
    given = ["case_id", *(name for name in ours.columns if name in GIVEN)]
    assert ours.select(given).equals(theirs.select(given))
