"""Alternative cohorts: one study's features serve where they hold, tables say what flips, the page shows it."""

import re

import polars as pl
import pytest
from evidence_records import RandomDepartment, table

from tirec.analysis.scoring import measure
from tirec.analysis.sensitivity import Assessed, Known, alternative_rows, compare, scores
from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.sensitivity import AlternativeConfig
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.records.schema import Tables
from tirec.report.sensitivity_page import sensitivity_page

OWN = AlternativeConfig()
LITERAL = AlternativeConfig.model_validate({"cohort": {"disposition": {"at_risk": "paper-literal"}}})


def department() -> tuple[Tables, pl.DataFrame]:
    rows = RandomDepartment(4).rows(visits=12, patients=8, children=5)
    for place, visit in enumerate(rows["visits"]):
        visit |= {"ed_dispo": "ICU" if place % 3 else "Discharge", "dispo_s": 3700 * (place % 4), "admit_s": None}
    tables = Tables.of({name: table(name, listed) for name, listed in rows.items()})
    visits = tables.visits.select("csn", "mrn").collect()
    return tables, visits.with_columns(split=pl.lit("train"), half=pl.lit(None, pl.String)).sort("csn")


def test_known_features_stand_in_for_new_ones() -> None:
    tables, splits = department()
    fresh = alternative_rows("disposition", tables, splits, LITERAL, None)
    own = alternative_rows("disposition", tables, splits, OWN, None)
    assert 0 < len(own.keys) < len(fresh.keys)
    known = _known(tables, splits)
    assert len(known.cutoffs) == len(own.keys)
    mixed = alternative_rows("disposition", tables, splits, LITERAL, known)
    assert mixed.keys.equals(fresh.keys)
    assert mixed.values.tobytes() == fresh.values.tobytes()


def _known(tables: Tables, splits: pl.DataFrame) -> Known:
    from tirec.analysis.sensitivity import _features
    from tirec.cohort.instances import build_instances

    cutoffs = build_instances("disposition", tables, splits, OWN.cohort).instances.select(CUTOFF_COLUMNS).unique()
    return Known(cutoffs, _features(tables, splits, cutoffs, OWN, None))


def keys(task: str = "revisit", visits: int = 40) -> pl.DataFrame:
    """Half train, half validation and some test; every third positive, in all settings."""
    split = ["train", "validation", "train", "validation", "test"]
    return pl.DataFrame(
        [
            (k * visits + i, i, split[i % 5], task, setting, int(i % 3 == 0))
            for k, setting in enumerate(SETTINGS[task])
            for i in range(visits)
        ],
        schema=["instance_id", "mrn", "split", "task", "setting", "label"],
        orient="row",
    )


def risk(cases: pl.DataFrame, right: bool) -> pl.DataFrame:
    p = pl.col("label") * 0.5 + 0.1 if right else 0.9 - pl.col("label") * 0.5
    return cases.select("instance_id", p=p)


def test_scores_count_and_rank_without_test_patients() -> None:
    cases = keys()
    shown = cases.with_columns(label=pl.when(pl.col("split") == "test").then(1 - pl.col("label")).otherwise("label"))
    found = scores(shown, risk(cases, right=True), "revisit", draws=20)
    assert found["setting"].to_list() == ["3d", "7d", "14d", "mean"]
    assert found["n"].to_list() == [32, 32, 32, 96]
    assert found.select("auroc_train", "auroc_validation", "auroc_low").row(3) == (1.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="training and validation"):
        measure(cases, risk(cases, right=True), "revisit", "test", ["auroc"])


def test_one_class_is_undefined() -> None:
    cases = keys().with_columns(label=pl.lit(0))
    found = scores(cases, risk(cases, right=True), "revisit", draws=5)
    assert found["auroc_validation"].null_count() == 4
    assert found["n_pos"].sum() == 0


def compared() -> pl.DataFrame:
    own = {task: Assessed(scores(keys(task), risk(keys(task), True), task, 20), ("labs", "orders")) for task in TASKS}
    worse = Assessed(scores(keys(), risk(keys(), False), "revisit", 20), ("orders", "history"))
    others = {("cutoff=decision", "revisit"): worse, ("history_margin_days=1", "revisit"): own["revisit"]}
    names = {"cutoff=decision": ("cutoff", "decision"), "history_margin_days=1": ("history_margin_days", "1")}
    return compare(own, others, names)


def test_the_table_says_what_flips() -> None:
    found = compared().filter(decision="cutoff", setting="mean").row(0, named=True)
    assert (found["entered"], found["left"], found["difference"]) == ("history", "labs", -1.0)
    same = compared().filter(decision="history_margin_days", setting="mean").row(0, named=True)
    assert (same["entered"], same["left"], same["difference"]) == ("", "", 0.0)


def test_the_page_says_what_moved_first_and_loads_nothing() -> None:
    page = sensitivity_page(compared(), "synthetic")
    first = page[page.index("What another choice changes") : page.index("<h2>")]
    assert "Revisit, asked when the discharge was decided: history enters the reference set; labs leaves" in first
    assert "AUROC .000 is outside the study" in first
    assert "noted on the day before" not in first
    assert "<script" not in page
    assert not re.search(r"\b(src|href)=", page)


def test_small_counts_of_credentialed_data_are_not_shown() -> None:
    few = keys().with_columns(label=(pl.col("mrn") < 3).cast(pl.Int64))  # 9 positives in all
    own = {task: Assessed(scores(few, risk(few, True), "revisit", 2), ("labs",)) for task in TASKS}
    text = re.sub(r"<[^>]+>", " ", sensitivity_page(compare(own, {}, {}), "credentialed"))
    assert re.search(r"96\s+–\s+–\s+1\.000", text)
    assert "9.4%" in re.sub(r"<[^>]+>", " ", sensitivity_page(compare(own, {}, {}), "synthetic"))
