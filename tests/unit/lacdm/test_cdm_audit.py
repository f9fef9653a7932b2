"""The audit: every measured row, and that the page hides what must not be seen."""

import re

import polars as pl
import pytest
from cdm_cases import paper_menu
from cdm_folder import PLAIN, cases_of, small_tables

from tirec.agent.cases import write
from tirec.config.lacdm import CdmTabularConfig
from tirec.lacdm.audit.checks import audit
from tirec.lacdm.audit.counting import COLUMNS
from tirec.lacdm.audit.page import WHY, audit_page
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.splits import deal
from tirec.lacdm.tabular.features import build_features
from tirec.lacdm.tabular.trees import tree_predictions


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> pl.DataFrame:
    return audited(tmp_path_factory.mktemp("cases"), small_tables())


def audited(folder, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    cases, opened = cases_of(tables), []
    for split in ("train", "validation", "test"):
        write([cases.filter(pl.col("split") == split)], folder / f"{split}.arrow")
        opened.append(open_cdm_cases(folder / f"{split}.arrow"))
    rules = CdmTabularConfig(max_rounds=5)
    menu = paper_menu()
    features = build_features(opened, tables["laboratory"], tables["history"], tables["items"], menu, rules)
    floors = {
        name: tree_predictions(features, name, menu, rules).filter(pl.col("split") == "validation")
        for name in ("prevalence", "availability_only")
    }
    splits = deal(tables["labels"], tables["people"], PLAIN)
    return audit(tables, splits, opened, floors, menu, PLAIN)


def row(table: pl.DataFrame, check: str, group: str = "all") -> dict:
    return table.filter(pl.col("check") == check, pl.col("group") == group).row(0, named=True)


def test_the_table_has_its_columns_and_every_section_its_reason(table):
    assert table.columns == list(COLUMNS)
    assert set(table["section"]) == set(WHY)


def test_counts_and_availability(table):
    labels = small_tables()["labels"]
    assert row(table, "admissions")["n"] == labels.height == 240
    chole = labels.filter(pl.col("condition") == "cholecystitis")["hadm_id"]
    scans = small_tables()["radiology"].filter(pl.col("modality") == "CT", pl.col("hadm_id").is_in(chole.implode()))
    found = row(table, "CT", "cholecystitis")
    assert (found["n"], found["of"]) == (scans["hadm_id"].n_unique(), len(chole))
    assert row(table, "CT", "appendicitis")["value"] > 0.85 > found["value"]


def test_masks_and_names(table):
    assert row(table, "radiology: names its own condition")["n"] == 0
    assert row(table, "history: names its own condition")["n"] == 0
    assert row(table, "radiology: a name is masked")["n"] > 0
    assert row(table, "radiology: names cholecystitis", "cholecystitis")["n"] == 0
    assert row(table, "radiology: names cholecystitis", "pancreatitis")["n"] > 0


def test_later_reports_and_interventions(table):
    tables = small_tables()
    late = tables["charted"].filter(pl.col("hours") > 24).height
    assert row(table, "charted more than 24 h after admission")["n"] == late > 0
    treated = tables["radiology"].filter(pl.col("modality").is_in(["ERCP", "Drainage"]))
    assert row(table, "cases with an intervention among the reports")["n"] == treated["hadm_id"].n_unique()


def test_the_target_side_would_give_it_away(table):
    assert row(table, "procedures name appendectomy", "appendicitis")["value"] > 0.6
    assert row(table, "procedures name appendectomy", "pancreatitis")["n"] == 0
    assert row(table, "discharge_diagnosis names the condition")["value"] == 1


def test_what_no_test_of_the_menu_can_meet(table):
    what = "laboratory categories of the guideline that no test of the menu meets"
    found = {name: row(table, what, name)["value"] for name in ("appendicitis", "pancreatitis")}
    assert found == {"appendicitis": 0, "pancreatitis": 1}  # no lipase, no amylase


def test_a_case_that_names_its_own_condition_is_said_first(tmp_path):
    tables = dict(small_tables())
    labels = tables["labels"]
    own = tables["history"].join(labels, on="hadm_id", maintain_order="left")
    named = own.with_columns(text=pl.col("text") + " Known " + pl.col("condition") + ".")
    tables["history"] = named.select("row", "hadm_id", "text")
    page = audit_page(audited(tmp_path, tables), PLAIN, "synthetic")
    assert "history: names its own condition: the data set is said to hold none" in page


def test_the_page_is_closed_and_hides_small_counts(table):
    ours, theirs = (audit_page(table, PLAIN, kind) for kind in ("synthetic", "credentialed"))
    assert ours == audit_page(table, PLAIN, "synthetic")
    assert "default-src &#39;none&#39;" in ours
    assert "&lt;11" not in ours
    assert "&lt;11" in theirs
    assert not [n for n in re.findall(r">(\d+) \(", theirs) if 0 < int(n) < 11]
    assert "all but a few" in theirs
