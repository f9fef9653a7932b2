"""The leak suite: another future is another one and only a future, leaks are caught, kinds of columns, floors, page."""

import re
from functools import cache

import numpy as np
import polars as pl
import pytest
from evidence_records import RandomDepartment, table

from tirec.analysis import leak_suite
from tirec.analysis.another_future import STAMPS, Redrawing
from tirec.analysis.column_kinds import is_process, rank_columns, restricted
from tirec.analysis.floors import FLOORS, METRICS, fit_arms, prevalence_risk, shuffle_labels
from tirec.analysis.leak_suite import LeakError, compare_futures, require_no_leak, sample_cases
from tirec.analysis.leak_table import Probes, floors_table, leak_table
from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.evidence import EvidenceConfig
from tirec.config.leak_suite import LeakSuiteConfig
from tirec.config.teacher import TeacherConfig, TreeConfig
from tirec.evaluation.metrics import auroc
from tirec.evidence.window import gather
from tirec.policy.tabular.columns import is_arrival
from tirec.records.schema import SPECS, Tables
from tirec.report.leak_page import leak_page
from tirec.teacher.rows import Rows

CUTOFF_S = 3600


def department(seed: int) -> tuple[Tables, pl.DataFrame]:
    """Random records and one case per patient."""
    rows = RandomDepartment(seed, CUTOFF_S).rows(visits=8, patients=5)
    tables = Tables.of({name: table(name, listed) for name, listed in rows.items()})
    visits = tables.visits.collect()
    cutoffs = visits.select(evidence_id="csn", csn="csn", mrn="mrn", cutoff_s=pl.lit(CUTOFF_S, pl.Int64))
    return tables, sample_cases(cutoffs, visits, LeakSuiteConfig(cases=5))


@cache
def compared(seed: int) -> pl.DataFrame:
    return compare_futures(*department(seed), ("FALL",), EvidenceConfig(), seed)


@pytest.mark.parametrize("seed", range(4))
def test_another_future_changes_nothing_but_what_is_seen_later(seed: int) -> None:
    found = compared(seed)
    assert found["cells"].sum() > 1000
    assert found["differing"].sum() == 0
    assert found["later"].sum() > 100
    require_no_leak(found)


def test_every_function_that_looks_at_the_record_is_moved() -> None:
    seen = pl.concat(map(compared, range(4)))
    still = seen.group_by("face", "function").agg(pl.col("later").sum()).filter(pl.col("later") == 0)
    assert set(still["function"]) <= {"demographics", "context", "initial_view", "triage"}


def test_a_window_that_looks_ahead_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def ahead(tables, cutoffs, *others):
        return gather(tables, cutoffs.with_columns(pl.col("cutoff_s") + 3600), *others)

    monkeypatch.setattr(leak_suite, "gather", ahead)
    tables, cases = department(1)
    found = compare_futures(tables, cases, (), EvidenceConfig(), 0)
    with pytest.raises(LeakError, match="cells change with what comes after the cutoff"):
        require_no_leak(found)


@pytest.mark.parametrize("name", STAMPS)
def test_rows_by_the_cutoff_stay_and_later_ones_do_not(name: str) -> None:
    tables, cases = department(2)
    before = tables.for_visits(cases["csn"]).collect()
    after = Redrawing(cases, 0, 5).frames(before)
    assert after.keys() == SPECS.keys()
    seen, future = pl.col(STAMPS[name]) <= CUTOFF_S, pl.col(STAMPS[name]) > CUTOFF_S
    kept = ["row", "csn", STAMPS[name]]
    assert after[name].filter(seen).select(kept).equals(before[name].filter(seen).select(kept))
    assert not after[name].filter(future).equals(before[name].filter(future))


def test_the_sample_is_one_case_per_patient_and_nested() -> None:
    cutoffs = pl.DataFrame({"evidence_id": range(90), "csn": range(90), "mrn": [i // 3 for i in range(90)]})
    cutoffs = cutoffs.with_columns(cutoff_s=pl.lit(60, pl.Int64))
    visits = cutoffs.select("csn", arrival_abs_s=pl.lit(0), arrival_day=pl.lit(0))
    few, many = (sample_cases(cutoffs, visits, LeakSuiteConfig(cases=n)) for n in (10, 25))
    assert few["mrn"].n_unique() == 10
    assert set(few["evidence_id"]) < set(many["evidence_id"])


@pytest.mark.parametrize(
    ("column", "process"),
    [
        ("orders__count", True),
        ("waveforms__share", True),
        ("heart_rate__count", True),
        ("heart_rate__min", False),
        ("blood_pressure__sbp_min", False),
        ("oxygen_saturation__o2_flow_since_min", True),
        ("vital_sign_values__heart_rate_1", False),
        ("vital_sign_values__heart_rate_1_min", True),
        ("labs__cardiac_resulted", True),
        ("labs__count_abnormal", False),
        ("labs__lactate", False),
        ("labs__pending", True),
        ("imaging__chest_done", True),
        ("imaging__chest_acute", False),
        ("history__diagnoses", False),
        ("context__elapsed_min", True),
    ],
)
def test_process_is_what_staff_did_and_when(column: str, process: bool) -> None:
    assert is_process(column) is process


def test_arrival_is_the_initial_view() -> None:
    assert is_arrival("triage__heart_rate")
    assert is_arrival("demographics__age")
    assert not is_arrival("triage__pain_since_min")
    assert not is_arrival("heart_rate__last")


FEATURES = ("heart_rate__last", "orders__count", "triage__acuity", "labs__lactate", "context__setting")


def rows(visits: int = 300) -> Rows:
    """Heart rate tells the outcome, lactate is rarely known, the others are noise."""
    rng = np.random.default_rng(0)
    split = np.where(np.arange(visits) % 5 == 0, "validation", "train")
    keys, values = [], []
    for k, (setting, number) in enumerate(zip(SETTINGS["revisit"], (3, 7, 14), strict=True)):
        x = rng.normal(size=(visits, 5)).astype(np.float32)
        x[:, 4] = number
        x[rng.random(visits) < 0.8, 3] = np.nan
        label = (x[:, 0] + rng.normal(size=visits) > 0).astype(np.int8)
        shown = {"instance_id": k * visits + np.arange(visits), "mrn": np.arange(visits), "split": split}
        keys.append(pl.DataFrame(shown | {"task": "revisit", "setting": setting, "label": label}))
        values.append(x)
    return Rows(pl.concat(keys), np.concatenate(values), FEATURES)


ROWS = rows()
RULES = TeacherConfig(tree=TreeConfig(learning_rate=0.3, leaves=4, min_leaf_rows=20, max_rounds=10, patience=5))


def test_columns_alone_are_ranked_as_the_metric_ranks_them() -> None:
    found = rank_columns(ROWS)
    assert found["column"][0] == "heart_rate__last"
    assert dict(found.select("column", "observed").iter_rows())["labs__lactate"] == pytest.approx(0.2, abs=0.1)
    train = ROWS.of_split("train")
    for column, _, setting, area, _ in found.iter_rows():
        part = train.where((train.keys["setting"] == setting).to_numpy())
        value = np.nan_to_num(part.values[:, FEATURES.index(column)], nan=-99)
        one_way = auroc(part.label, value)
        assert area == pytest.approx(max(one_way, 1 - one_way), abs=1e-6)


def test_arms_see_their_columns_and_the_setting() -> None:
    assert restricted(ROWS, "process").features == ("orders__count", "context__setting")
    assert restricted(ROWS, "arrival").features == ("triage__acuity", "context__setting")
    assert restricted(ROWS, "both").features == FEATURES


def test_shuffled_labels_keep_the_prevalence_of_each_setting() -> None:
    train = ROWS.of_split("train")
    shuffled = shuffle_labels(train, 3)
    count = [one.keys.group_by("setting").agg(pl.col("label").sum()).sort("setting") for one in (train, shuffled)]
    assert count[0].equals(count[1])
    assert (train.label != shuffled.label).any()


def probes() -> Probes:
    arms = fit_arms(ROWS, ROWS.keys.select("instance_id", p=pl.lit(0.5)), "revisit", RULES, 0)
    future = pl.DataFrame([(5, "columns", "labs", 90, 0, 40)], schema=_FUTURE, orient="row")
    return Probes(future, arms, rank_columns(ROWS))


_FUTURE = ["cases", "face", "function", "cells", "differing", "later"]
PROBED = dict.fromkeys(TASKS, probes())
ORDERS = pl.DataFrame(
    {"procedure_name": ["<b>BED</b>", "ECG"], "visible": [False, True], "n": [90, 80], "n_pos": [89, 40],
     "predictive_value": [0.99, 0.5]}
)  # fmt: skip


def mean_auroc(arm: str, split: str) -> float:
    scores = PROBED["revisit"].arms
    chosen = scores.filter(arm=arm, split=split, setting="mean", metric="auroc")
    return chosen["value"][0]


def test_teachers_find_what_is_there_and_nothing_in_shuffled_labels() -> None:
    assert mean_auroc("physiology", "train") > 0.75
    assert abs(mean_auroc("process", "train") - 0.5) < 0.1
    assert abs(mean_auroc("shuffled", "train") - 0.5) < 0.1
    assert mean_auroc("prevalence", "validation") == 0.5


def test_floors_print_every_metric() -> None:
    table = floors_table(PROBED, FLOORS)
    assert set(table["metric"]) == set(METRICS)
    assert set(table["floor"]) == set(FLOORS)


def test_one_class_on_train_is_undefined_and_stops_nothing() -> None:
    keys = ROWS.keys.with_columns(label=pl.when(pl.col("split") == "train").then(0).otherwise("label"))
    found = fit_arms(Rows(keys, ROWS.values, FEATURES), prevalence_risk(keys), "revisit", RULES, 0)
    chosen = found.filter(pl.col("metric") == "auroc")
    assert chosen.filter(split="train")["value"].null_count() == chosen.filter(split="train").height
    assert chosen.filter(split="validation", setting="mean")["value"].unique().to_list() == [0.5]


def test_the_table_judges_each_check() -> None:
    found = leak_table(PROBED, ORDERS, LeakSuiteConfig(column_limit=0.7), EvidenceConfig().orders)
    failed = found.filter(pl.col("holds") == 0)
    assert set(failed["check"]) == {"AUROC of one column"}
    assert set(failed["subject"]) == {"heart_rate__last"}
    assert found.filter(check="admitted of those with this order")["subject"].to_list() == ["ECG"]


def test_the_page_says_what_fails_first_and_loads_nothing() -> None:
    table = leak_table(PROBED, ORDERS, LeakSuiteConfig(column_limit=0.7), EvidenceConfig().orders)
    page = leak_page(table, PROBED, ORDERS, "synthetic")
    assert "Revisit, AUROC of one column: heart_rate__last" in page[: page.index("<h2>")]
    assert "&lt;b&gt;BED" in page
    assert "<script" not in page
    assert not re.search(r"\b(src|href)=", page)
    calm = leak_table(PROBED, ORDERS, LeakSuiteConfig(column_limit=1), EvidenceConfig().orders)
    assert "Every check holds" in leak_page(calm, PROBED, ORDERS, "synthetic")


def test_small_counts_of_credentialed_data_are_not_shown() -> None:
    table = leak_table(PROBED, ORDERS, LeakSuiteConfig(), EvidenceConfig().orders)
    text = re.sub(r"<[^>]+>", " ", leak_page(table, PROBED, ORDERS, "credentialed"))
    assert "98.9%" not in text
    assert "50.0%" in text
