"""What a test answers: panels, imaging and notes under the published rules and under each switch."""

import polars as pl
import pytest
from cdm_cases import MENU_FILE
from cdm_folder import PLAIN, cases_of, small_tables

from tirec.config.lacdm import LacdmConfig, SwitchesConfig
from tirec.errors import ConfigError
from tirec.lacdm.masking import drop_masked, has_mask, mask_all, names
from tirec.lacdm.menu import read_menu
from tirec.lacdm.texts import imaging, laboratory, notes

ITEMS = pl.DataFrame(
    {
        "row": [1, 2, 3, 4],
        "itemid": [51301, 51755, 50885, None],
        "label": ["White Blood Cells", "WBC again", "Bilirubin, Total", "Complete Blood Count (CBC)"],
        "fluid": ["Blood"] * 4,
        "category": ["x"] * 4,
        "corresponding_ids": [[51301, 51755], [51301, 51755], [50885], [51755, 51301]],
    }
)
LABS = pl.DataFrame(
    {
        "row": [1, 2, 3, 4, 5],
        "hadm_id": [7, 7, 7, 8, 9],
        "itemid": [51301, 51301, 50885, 51755, 50885],
        "value": ["13.2 K/uL", "9.0 K/uL", "LESS THAN 0.2 mg/dL", "3 K/uL", None],
        "lower": [4.0, 4.0, 0.0, 4.0, 0.0],
        "upper": [11.0, 11.0, 1.5, 11.0, 1.5],
    }
)


def config(style: str = "full", **switches: str) -> LacdmConfig:
    return LacdmConfig(style=style, switches={"initial": "history", **switches})


def panel(settings: LacdmConfig, name: str = "Complete Blood Count") -> dict[int, str]:
    test = read_menu(MENU_FILE).find(name)
    found, labels = laboratory.results(LABS), laboratory.item_labels(ITEMS)
    texts = laboratory.panel_texts(found, laboratory.panel_items(test, ITEMS), labels, settings)
    return dict(texts.select("hadm_id", "text").iter_rows())


def test_a_panel_is_one_line_of_first_values_under_the_mapping_s_labels():
    assert panel(config()) == {7: "White Blood Cells: 13.2 K/uL", 8: "White Blood Cells: 3 K/uL"}


def test_a_panel_takes_its_items_from_the_mapping_or_else_from_the_menu():
    menu = read_menu(MENU_FILE)
    assert laboratory.panel_items(menu.find("Complete Blood Count"), ITEMS) == [51755, 51301]
    assert laboratory.panel_items(menu.find("Urinalysis"), ITEMS) == list(menu.find("Urinalysis").items)


def test_ranges_and_levels():
    assert panel(config(lab_values="range"))[7] == "White Blood Cells: 13.2 K/uL (reference 4 - 11) HIGH"
    assert panel(config(lab_values="level"))[8] == "White Blood Cells: LOW"
    assert panel(config(lab_values="range"), "Liver Function Panel")[7] == (
        "Bilirubin, Total: LESS THAN 0.2 mg/dL (reference 0 - 1.5) NORMAL"
    )


def test_a_headline_names_what_is_out_of_range():
    assert panel(config("headline")) == {7: "White Blood Cells HIGH", 8: "White Blood Cells LOW"}
    assert panel(config("headline"), "Liver Function Panel") == {7: "all NORMAL"}


REPORT = """EXAMINATION:
CT

TECHNIQUE:
Helical.

FINDINGS:
Stones. Likely ____.

DOSE:
DLP 500.

NOTIFICATION:
Done."""


def test_a_report_is_shown_from_its_findings_on_without_technique_and_dose():
    assert imaging.findings(REPORT) == "FINDINGS:\nStones. Likely ____.\nNOTIFICATION:\nDone."
    assert imaging.findings("TECHNIQUE:\nHelical.\n\nLUNGS:\nClear.") == "LUNGS:\nClear."
    assert imaging.findings("No header at all.") == "No header at all."


RADIOLOGY = pl.DataFrame(
    {
        "row": [1, 2, 3, 4],
        "hadm_id": [7, 7, 7, 7],
        "note_id": ["a", "b", "c", "d"],
        "modality": ["CT", "CT", "MRCP", "CT"],
        "region": ["Abdomen", "Head", "Abdomen", "Abdomen"],
        "exam_name": ["x"] * 4,
        "text": ["FINDINGS:\nFirst.", "FINDINGS:\nHead.", "FINDINGS:\nDuct.", "FINDINGS:\nAfter surgery."],
    }
)
CHARTED = pl.DataFrame({"note_id": ["a", "b", "c"], "hours": [-3.0, 20.0, 30.0]})


def imaged(name: str, **switches: str) -> str | None:
    settings = config(**switches)
    reports = imaging.served(RADIOLOGY, CHARTED, settings)
    texts = imaging.imaging_texts(reports, read_menu(MENU_FILE, settings.switches).find(name), settings)
    return texts["text"][0] if texts.height else None


@pytest.mark.parametrize(
    ("name", "switches", "text"),
    [
        ("CT", {}, "Report 1: FINDINGS: First. Report 2: FINDINGS: Head. Report 3: FINDINGS: After surgery."),
        ("CT", {"regions": "listed"}, "Report 1: FINDINGS: First. Report 2: FINDINGS: After surgery."),
        ("CT", {"reports": "first"}, "Report 1: FINDINGS: First. Report 2: FINDINGS: Head."),
        ("CT", {"reports": "window", "regions": "listed"}, "FINDINGS: First."),
        ("MRI", {}, None),
        ("MRI", {"modalities": "broad"}, "FINDINGS: Duct."),
        ("MRI", {"modalities": "broad", "reports": "window"}, None),
    ],
)
def test_which_reports_answer(name, switches, text):
    assert imaged(name, **switches) == text


def test_report_times_are_needed_for_a_window():
    with pytest.raises(ConfigError, match=r"set lacdm\.mimic_iv, or choose first"):
        imaging.served(RADIOLOGY, CHARTED.clear(), config(reports="window"))


def test_masks():
    assert mask_all("Acute Appendicitis or cholecystitis") == "____ or ____"
    assert names("prior acute pancreatitis") == ("pancreatitis",)
    assert has_mask("likely ____.")
    assert not has_mask("___ yo F, _____ long")
    assert drop_masked("Stones. Likely ____. No free air.") == "Stones. No free air."


def test_a_report_of_masked_sentences_only_still_looks_performed():
    switches = {"masked_sentences": "drop"}
    assert notes.shown("Likely ____.", config(**switches)) == notes.WITHHELD


def test_the_headline_of_an_examination_is_the_abdomen():
    exam = pl.DataFrame(
        {"row": [3], "hadm_id": [7], "text": [" T 99 HR 80 Gen: NAD Abd: soft, RUQ tender Ext: no edema "]}
    )
    assert notes.examination_texts(exam, config("headline")).row(0) == (7, "soft, RUQ tender", [3])
    assert notes.examination_texts(exam, config())["text"][0].startswith("T 99 HR 80 Gen: NAD Abd:")


def test_a_summary_is_used_where_the_paper_wants_one():
    history = pl.DataFrame({"hadm_id": [7, 8], "text": ["Long history.", "Other."]})
    summaries = pl.DataFrame({"hadm_id": [8, 7], "summary": ["B", "A"]})
    assert notes.initial_texts(history, summaries, LacdmConfig())["history"].to_list() == ["A", "B"]
    with pytest.raises(ConfigError, match=r"needs lacdm\.summaries"):
        notes.initial_texts(history, None, LacdmConfig())
    with pytest.raises(ConfigError, match="no summary of 1 admissions"):
        notes.initial_texts(history, summaries.head(1), LacdmConfig(summaries="s.parquet"))


def test_the_whole_menu_is_answered_for_every_case():
    cases = cases_of(small_tables())
    assert cases.height == 240
    assert cases["history"].null_count() == 0
    for name in ("Physical Examination", "Complete Blood Count", "Liver Function Panel"):
        assert cases[name].null_count() < 5
    both = cases.select(pl.col("CT").is_null() & pl.col("Ultrasound").is_null() & pl.col("MRI").is_null()).to_series()
    assert both.sum() == 0
    used = cases["rows__CT"].explode().drop_nulls().implode()
    rows = small_tables()["radiology"].filter(pl.col("row").is_in(used))
    assert set(rows["modality"]) == {"CT"}


def test_the_repaired_menu_has_more_tests():
    repaired = LacdmConfig(preset="repaired")
    cases = cases_of(small_tables(), repaired)
    assert {"Lipase", "Chest Radiograph", "Blood Culture"} <= set(cases.columns)
    assert not any(names(text) for text in cases["CT"].drop_nulls())
    assert not any(has_mask(text) for text in cases["CT"].drop_nulls())
    assert SwitchesConfig() == PLAIN.switches.model_copy(update={"initial": "summary"})
