"""The menu and its prices: the published twelve, and what a menu file may not say."""

import pytest
from cdm_cases import MENU_FILE, PAPER, REPAIRED, paper_menu

from tirec.config.lacdm import CONDITIONS, LacdmConfig
from tirec.config.study import Study
from tirec.errors import ConfigError
from tirec.lacdm.menu import read_menu

PENALTIES = {
    "Physical Examination": 0.0294,
    "CT": 0.1282,
    "MRI": 0.4775,
    "Radiograph": 0.0426,
    "Ultrasound": 0.1264,
    "Complete Blood Count": 0.0070,
    "Basic Metabolic Panel": 0.0292,
    "Comprehensive Metabolic Panel": 0.0624,
    "Renal Function Panel": 0.0387,
    "Liver Function Panel": 0.0405,
    "Urinalysis": 0.0049,
    "Electrolyte Panel": 0.0132,
}


def test_the_twelve_published_penalties_follow_from_the_prices():
    menu = paper_menu()
    assert menu.names == tuple(PENALTIES)
    assert menu.total == 10_190
    for test in menu:
        assert round(menu.penalty(test.price), 4) == PENALTIES[test.name]


def test_panels_nest_as_the_item_ids_say():
    items = {test.name: set(test.items) for test in paper_menu()}
    assert items["Electrolyte Panel"] < items["Basic Metabolic Panel"] < items["Comprehensive Metabolic Panel"]
    assert len(items["Comprehensive Metabolic Panel"] - items["Basic Metabolic Panel"]) == 7
    renal = (items["Basic Metabolic Panel"] - {50803, 50882}) | {50862, 50970, 50804, 51739}
    assert items["Renal Function Panel"] == renal
    assert len(items["Urinalysis"]) == 51


def test_a_test_is_found_whatever_its_case():
    menu = paper_menu()
    assert menu.find(" liver  function panel ").name == "Liver Function Panel"
    assert menu.find("Lipase") is None
    assert read_menu(MENU_FILE, REPAIRED).find("lipase").price > 0


def test_marginal_prices_charge_only_for_what_is_new():
    menu = read_menu(MENU_FILE, REPAIRED)
    electrolytes, basic = menu.find("Electrolyte Panel"), menu.find("Basic Metabolic Panel")
    assert menu.charge(electrolytes, ["Basic Metabolic Panel"]) == 0
    assert menu.charge(basic, ["Electrolyte Panel"]) == pytest.approx(298 * 11 / 22)
    assert menu.charge(basic, []) == 298
    assert paper_menu().charge(electrolytes, ["Basic Metabolic Panel"]) == 134


def test_a_new_test_is_an_entry_of_the_file(tmp_path):
    file = tmp_path / "menu.yaml"
    file.write_text(MENU_FILE.read_text() + "  - {name: Troponin, kind: panel, price: 12, items: [51003]}\n")
    assert read_menu(file, PAPER).names[-1] == "Troponin"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: Troponin, kind: panel, price: 12}", "Troponin: a panel needs items"),
        ("{name: ct, kind: imaging, price: 12, modalities: [CT]}", "test CT stands there twice"),
        ("{name: X, kind: exam, price: -1}", "tests.19.price: input should be greater than or equal to 0"),
        ("{name: X: y}", "is not YAML"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path, entry, message):
    file = tmp_path / "menu.yaml"
    file.write_text(MENU_FILE.read_text() + f"  - {entry}\n")
    with pytest.raises(ConfigError, match=message):
        read_menu(file, PAPER)


def test_a_written_switch_wins_over_its_preset():
    lacdm = Study.load({"lacdm": {"preset": "repaired", "switches": {"unavailable": "hide"}}}).lacdm
    assert lacdm.switches.unavailable == "hide"
    assert lacdm.switches.masking == "all"
    assert LacdmConfig().switches == PAPER
    assert LacdmConfig.model_validate(lacdm.model_dump(by_alias=True)) == lacdm


def test_a_misspelt_switch_is_explained():
    with pytest.raises(ConfigError, match=r"did you mean lacdm\.switches\.unavailable\?"):
        Study.load({"lacdm": {"switches": {"unavailabel": "hide"}}})


def test_the_conditions_are_in_the_order_of_the_published_files():
    assert list(CONDITIONS) == sorted(CONDITIONS)
