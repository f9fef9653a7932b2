"""Tabular models on the same cases: what they may read, what they pay, and that they learn what was planted."""

import numpy as np
import polars as pl
import pytest
from cdm_cases import menu_of, paper_menu
from cdm_folder import PLAIN, cases_of, small_tables

from tirec.agent.cases import write
from tirec.config.lacdm import CdmTabularConfig, LacdmConfig, SwitchesConfig
from tirec.errors import DataError
from tirec.lacdm.cases import open_cdm_cases
from tirec.lacdm.predictions import PREDICTIONS, read_predictions, write_predictions
from tirec.lacdm.tabular import ed_copilot, sm_ddpo
from tirec.lacdm.tabular.features import build_features
from tirec.lacdm.tabular.lab_cases import LabCases, lab_cases
from tirec.lacdm.tabular.ordering import Setup, best, cost_of, frontier, mean_accuracy, outcomes, predictions
from tirec.lacdm.tabular.panel_game import PanelGame
from tirec.lacdm.tabular.ppo import following
from tirec.lacdm.tabular.trees import COLUMNS, probabilities, tree_predictions

QUICK = CdmTabularConfig(max_rounds=30, fit_epochs=15, iterations=8, penalties=(0.0, 50.0), hidden=16, min_leaf_rows=5)


@pytest.fixture(scope="session")
def features(tmp_path_factory) -> pl.DataFrame:
    return features_of(tmp_path_factory.mktemp("cases"), PLAIN)


def features_of(folder, config: LacdmConfig) -> pl.DataFrame:
    cases = cases_of(small_tables(), config)
    opened = []
    for split in ("train", "validation", "test"):
        write([cases.filter(pl.col("split") == split)], folder / f"{split}.arrow")
        opened.append(open_cdm_cases(folder / f"{split}.arrow"))
    tables = small_tables()
    menu = menu_of(config.switches)
    return build_features(opened, tables["laboratory"], tables["history"], tables["items"], menu, QUICK)


def arrays(features: pl.DataFrame) -> LabCases:
    return lab_cases(features, small_tables()["items"], paper_menu())


def test_columns_are_numbers_of_the_menu_s_panels(features):
    assert features.height == 240
    assert {"lab__51301", "lab__50885", "history_chars", "age", "performed__CT"} <= set(features.columns)
    assert "lab__50956" not in features.columns  # lipase is in no panel of the paper's menu
    value = small_tables()["laboratory"].filter(pl.col("itemid") == 51301).row(0, named=True)
    mine = features.filter(pl.col("hadm_id") == value["hadm_id"])["lab__51301"][0]
    assert mine == float(value["value"].split()[0])


def test_withheld_results_are_withheld_from_columns_too(tmp_path, features):
    hidden = features_of(tmp_path, LacdmConfig(switches={"initial": "history", "unavailable": "hide"}))
    assert hidden["performed__CT"].sum() < features["performed__CT"].sum()
    urine = [name for name in features.columns if name in ("lab__51491", "lab__51498")]
    for name in urine:
        kept = hidden.filter(~pl.col("performed__Urinalysis"))[name]
        assert kept.null_count() == len(kept)


def test_floors_read_no_result():
    assert not any("lab" in column for model, columns in COLUMNS.items() if model != "all_labs" for column in columns)


def test_the_floor_of_prevalence_and_the_trees_on_everything(features):
    shares = probabilities(features, "prevalence", QUICK)
    train = features.filter(pl.col("split") == "train")
    assert shares[0, 0] == pytest.approx((train["condition"] == "appendicitis").mean())
    told = tree_predictions(features, "all_labs", paper_menu(), QUICK)
    right = told.filter(pl.col("split") == "train").select((pl.col("predicted") == pl.col("condition")).mean()).item()
    assert right > 0.6 > shares[0].max()
    first = told.row(0, named=True)
    assert first["cost"] == sum(paper_menu().find(name).price for name in first["tests"]) > 1000


def test_a_floor_pays_nothing(features):
    told = tree_predictions(features, "availability_only", paper_menu(), QUICK)
    assert told["cost"].sum() == 0
    assert told["tests"].list.len().sum() == 0


def scripted(*orders: int):
    """A chooser that plays the same orders for every case, then names a condition."""
    move = iter(orders)

    def choose(cases, seen, allowed):
        return np.full(len(cases), next(move, allowed.shape[1] - 1))

    return choose


def game(cases: LabCases, switches: SwitchesConfig = PLAIN.switches, **rules: bool) -> PanelGame:
    return PanelGame(cases, menu_of(switches), **{"charges_absent": False, "only_performed": False} | rules)


def place(cases: LabCases, name: str) -> int:
    return [panel.name for panel in cases.panels].index(name)


def test_the_bill_of_a_game_is_that_of_the_environment(features):
    cases = arrays(features)
    urine, blood = place(cases, "Urinalysis"), place(cases, "Complete Blood Count")
    played = game(cases).play(scripted(urine, blood))
    bill = cost_of(played, len(cases.label))
    expected = 71 * cases.available[:, blood] + 50 * cases.available[:, urine]
    assert np.array_equal(bill, expected)
    assert not cases.available[:, urine].all()
    charged = cost_of(game(cases, charges_absent=True).play(scripted(urine, blood)), len(cases.label))
    assert (charged == 121).all()


def test_marginal_prices_hold_in_a_game(features):
    cases = arrays(features)
    marginal = PLAIN.switches.model_copy(update={"nested_prices": "marginal"})
    basic, electrolytes = place(cases, "Basic Metabolic Panel"), place(cases, "Electrolyte Panel")
    assert (cost_of(game(cases, marginal).play(scripted(basic, electrolytes)), len(cases.label)) <= 298).all()


def test_values_are_known_only_once_a_panel_is_ordered(features):
    cases = arrays(features)
    every = np.arange(len(cases.label))
    nothing = np.zeros(cases.available.shape, dtype=bool)
    assert not cases.known(every, nothing).any()
    blood = nothing.copy()
    blood[:, place(cases, "Complete Blood Count")] = True
    known = cases.known(every, blood)
    assert known.any()
    assert not (known & ~cases.member[place(cases, "Complete Blood Count")]).any()


def test_what_follows_a_move_is_the_reward_minus_later_costs(features):
    cases = arrays(features).of("test")
    table = game(cases)
    blood = place(cases, "Complete Blood Count")
    played = table.play(scripted(blood))
    gains = following(table, played, lambda rows, seen: np.ones(len(rows)), penalty=2.0)
    assert gains[1] == pytest.approx(np.ones(len(cases.label)))
    assert gains[0] == pytest.approx(1 - 2 * 71 * cases.available[:, blood] / 10_190)


@pytest.mark.parametrize("model", [sm_ddpo, ed_copilot])
def test_a_dearer_bill_is_a_smaller_one(features, model, tmp_path):
    cases = arrays(features)
    setup = Setup(paper_menu(), charges_absent=False, only_performed=model.ONLY_PERFORMED)
    found = list(outcomes(cases, model.senses(cases, QUICK), setup, QUICK))
    front = frontier(cases, found, best(cases, found))
    free, dear = (front.filter(pl.col("penalty") == penalty, pl.col("split") == "test") for penalty in (0.0, 50.0))
    assert dear["cost"][0] < free["cost"][0]
    assert front["chosen"].sum() == 2
    write_predictions(predictions(cases, found[0], "test"), tmp_path / "test.parquet")
    told = read_predictions(tmp_path / "test.parquet")
    assert told.columns == list(PREDICTIONS)
    bills = [sum(paper_menu().find(name).price for name in tests) for tests in told["tests"]]
    assert told["cost"].to_list() == pytest.approx(bills)


def test_the_order_of_the_file_is_what_ed_copilot_learns_from(features):
    cases = arrays(features)
    seen, following_panel = ed_copilot.prefixes(np.random.default_rng(0), cases)
    assert not (seen & ~cases.available).any()
    for case in range(40):
        if following_panel[case] >= 0:
            later = cases.first[case, following_panel[case]]
            assert all(cases.first[case, seen[case]] <= later)
        else:
            assert (seen[case] == cases.available[case]).all()


def test_mean_accuracy_counts_every_condition_alike():
    p = np.eye(4)[[0, 0, 0, 1]]
    assert mean_accuracy(p, np.array([0, 0, 0, 2])) == 0.5


def test_predictions_must_name_a_condition(tmp_path, features):
    told = tree_predictions(features, "prevalence", paper_menu(), QUICK)
    with pytest.raises(DataError, match="gastritis is no condition"):
        write_predictions(told.with_columns(predicted=pl.lit("gastritis")), tmp_path / "x.parquet")
