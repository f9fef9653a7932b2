"""Guideline adherence, a worked example per rule."""

import polars as pl
import pytest
from cdm_cases import REPAIRED, menu_of, paper_menu

from tirec.lacdm.guideline import adherence, adherence_table, reachable

EXAM, CBC, LFP = "Physical Examination", "Complete Blood Count", "Liver Function Panel"


@pytest.mark.parametrize(
    ("condition", "requested", "points"),
    [
        ("appendicitis", ["Ultrasound", "CT"], 2),
        ("appendicitis", ["CT", "Ultrasound"], 1),
        ("appendicitis", ["Radiograph"], 0),
        ("cholecystitis", ["MRI", "Ultrasound"], 2),
        ("cholecystitis", ["CT"], 0),
        ("diverticulitis", ["Ultrasound", "CT"], 2),
        ("pancreatitis", ["CT"], 1),
        ("pancreatitis", [], 0),
    ],
)
def test_imaging_points(condition, requested, points):
    assert adherence(condition, requested, paper_menu()).imaging == points


def test_required_categories_are_met_by_panels_that_hold_them():
    found = adherence("cholecystitis", [EXAM, CBC, LFP, "Ultrasound"], paper_menu())
    assert (found.examined_first, found.examined) == (True, True)
    assert found.labs == {"inflammation": True, "liver": True, "gallbladder": True}
    assert adherence("cholecystitis", [CBC, "Ultrasound", EXAM], paper_menu()).labs["liver"] is False
    assert adherence("cholecystitis", [CBC, EXAM], paper_menu()).examined_first is False


def test_seriousness_and_pancreas():
    found = adherence("pancreatitis", ["Electrolyte Panel"], paper_menu())
    assert found.labs == {"inflammation": False, "pancreas": False, "seriousness": True}
    assert adherence("pancreatitis", ["lipase"], menu_of(REPAIRED)).labs["pancreas"] is True


def test_the_paper_s_menu_cannot_meet_the_pancreas_category():
    assert reachable("pancreatitis", paper_menu()) == {"inflammation": True, "pancreas": False, "seriousness": True}
    assert all(reachable("pancreatitis", menu_of(REPAIRED)).values())


def test_what_is_unnecessary():
    found = adherence("cholecystitis", ["CT", "Radiograph", "Ultrasound", "Lactate", "Urinalysis"], menu_of(REPAIRED))
    assert found.unnecessary_imaging == ("CT", "Radiograph")
    assert found.unnecessary_labs == ("Lactate",)
    assert adherence("pancreatitis", ["Lipase"], menu_of(REPAIRED)).unnecessary_labs == ()
    assert adherence("appendicitis", ["Lipase"], menu_of(REPAIRED)).unnecessary_labs == ("Lipase",)


def test_names_that_are_no_test_count_nowhere():
    assert adherence("appendicitis", ["PET", EXAM], paper_menu()).examined_first is True


def test_rates_over_cases():
    predictions = pl.DataFrame(
        {
            "case_id": [1, 2, 3],
            "condition": ["appendicitis", "appendicitis", "pancreatitis"],
            "requested": [[EXAM, "Ultrasound"], ["CT", CBC], []],
        },
        schema_overrides={"requested": pl.List(pl.String)},
    )
    table = adherence_table(predictions, paper_menu())
    found = {(row[0], row[1]): row[2:] for row in table.iter_rows()}
    assert found["appendicitis", "imaging"] == (0.75, 2)
    assert found["appendicitis", "laboratory: inflammation"] == (0.5, 2)
    assert found["pancreatitis", "examination"] == (0, 1)
