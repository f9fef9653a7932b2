"""The story behind the cohort: planted causes act, the rest does not; the real reader and cohort take the folder."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score

from tirec.cohort.instances import build_instances
from tirec.cohort.splits import build_splits
from tirec.config.cohort import SETTINGS, CohortConfig
from tirec.config.data import DataConfig
from tirec.config.synthetic import SyntheticConfig
from tirec.evidence.menu import REWARDABLE
from tirec.records import mcmed
from tirec.records.schema import Tables
from tirec.records.split_files import read_split_files
from tirec.records.synthetic import PLANTED, generate
from tirec.records.synthetic.courses import HEART_RATE, PRESSURE, SATURATION, true_level
from tirec.records.synthetic.draws import levels, ragged, seldom
from tirec.records.synthetic.splits import CHRONO, parts
from tirec.records.synthetic.write import stories


@pytest.fixture(scope="module")
def story():
    """Six thousand visits, without their tables (a second)."""
    return pl.concat(list(stories(SyntheticConfig(visits=6000, seed=11))))


@pytest.fixture(scope="module")
def ingested(tmp_path_factory):
    """A small cohort through the real reader."""
    made = tmp_path_factory.mktemp("ingested")
    generate(SyntheticConfig(visits=1500, seed=4, monitor_density=0.5), made / "cohort")
    mcmed.ingest(made / "cohort", made / "tables", made / "ingest.tsv", DataConfig(root=str(made / "cohort")))
    return made


def discharged(story):
    gap = (pl.col("arrival_s").shift(-1).over("MRN") - pl.col("arrival_s") - pl.col("departure_s")) / 3600
    return story.with_columns(gap=gap.fill_null(np.inf)).filter(~pl.col("admitted") & ~pl.col("unseen"))


def test_planted_functions_are_rewardable():
    assert all(set(functions) <= set(REWARDABLE) for functions in PLANTED.values())


@pytest.mark.parametrize("cause", ["treatment", "derangement", "finding", "burden"])
def test_each_cause_of_admission_acts_alone(story, cause):
    looked = story.filter((pl.col(cause) >= 0) & ~pl.col("unseen"))
    rate = [looked.filter(pl.col(cause) == level)["admitted"].mean() for level in range(3)]
    assert rate[0] + 0.1 < rate[1] < rate[2] - 0.1


def test_the_vitals_say_nothing_of_admission(story):
    seen = story.filter(~pl.col("unseen"))
    for name in ("hr_base", "map_base", "spo2_base", "rr_base", "fever"):
        assert roc_auc_score(seen["admitted"], seen[name]) == pytest.approx(0.5, abs=0.035)


def test_causes_of_one_task_are_only_weakly_correlated(story):
    causes = np.corrcoef([story[name].to_numpy() for name in ("treatment", "derangement", "finding", "burden")])
    assert np.abs(causes[np.triu_indices(4, 1)]).max() < 0.3


def test_outcomes_are_well_but_not_perfectly_determined(story):
    seen, home = story.filter(~pl.col("unseen")), discharged(story)
    assert 0.86 < roc_auc_score(seen["admitted"], seen["p_admission"]) < 0.93
    assert 0.8 < roc_auc_score(home["gap"] <= 336, home["p_return"]) < 0.9


@pytest.mark.parametrize("limit, share", [(72, 0.08), (168, 0.135), (336, 0.19)])
def test_returns_are_as_common_as_documented(story, limit, share):
    assert (discharged(story)["gap"] <= limit).mean() == pytest.approx(share, abs=0.025)


@pytest.mark.parametrize("vital, sign", [(HEART_RATE, 1), (PRESSURE, -1), (SATURATION, -1)])
def test_a_decline_crosses_its_limit_after_the_first_quarter_of_an_hour(story, vital, sign):
    declines = story[f"{vital.measure}_declines"].to_numpy()
    rows, steady = np.flatnonzero(declines), np.flatnonzero(~declines)
    aligned = story["monitor_on_s"].to_numpy()[rows] + 900
    assert (sign * (true_level(story, vital.measure, rows, aligned) - vital.limit) < 0).all()
    minutes = np.arange(0, 240, 2)[:, None] * 60
    course = np.stack([true_level(story, vital.measure, rows, aligned + later) for later in minutes])
    assert (sign * (course - vital.limit) > 0).any(axis=0).all()
    calm = true_level(story, vital.measure, steady, np.full(len(steady), 7200))
    assert (sign * (calm - vital.limit) < -2.5).all()


def test_a_return_has_the_burden_of_the_visit_before(story):
    by_patient = story.group_by("MRN").agg(pl.col("burden").n_unique(), pl.col("arrival_s").is_sorted())
    assert by_patient["burden"].max() == 1 and by_patient["arrival_s"].all()


def test_later_parts_of_the_chronological_split_begin_later():
    first = np.random.default_rng(0).integers(0, 10**7, 1000)
    part = parts(first, CHRONO)
    assert first[part == 0].max() < first[part == 1].min() and first[part == 1].max() < first[part == 2].min()
    assert np.bincount(part).tolist() == [780, 110, 110]


def test_small_draws():
    rng = np.random.default_rng(0)
    assert np.bincount(levels(rng.standard_normal(20_000), (0.5, 0.3, 0.2))) / 20_000 == pytest.approx(
        [0.5, 0.3, 0.2], abs=0.02
    )
    assert [column.tolist() for column in ragged(np.array([2, 0, 3]))] == [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    assert len(seldom(rng, 0.0, 5, at_least=2)) == 2 and len(seldom(rng, 0.0, 5)) == 0


@pytest.fixture(scope="module")
def instances(ingested):
    """The three tasks' instances of the small cohort, by the real rules."""
    config, tables = CohortConfig(), Tables.open(ingested / "tables")
    files = read_split_files(ingested / "cohort", config.splits.family)
    splits = build_splits(tables.visits.select("csn", "mrn", "row").collect(), files, config.splits)
    return {task: build_instances(task, tables, splits, config) for task in PLANTED}


def test_the_real_reader_reads_every_row(ingested):
    audit = pl.read_csv(ingested / "ingest.tsv", separator="\t", infer_schema=False)
    assert not audit["check"].str.starts_with("set aside").any()
    dropped = audit.filter(pl.col("check").str.starts_with("dropped"))["check"]
    assert set(dropped) == {f"dropped: {why}" for why in ("duplicate", "before arrival", "after departure")}


def test_every_component_has_a_result(ingested):
    labs = Tables.open(ingested / "tables").labs.select("component_value").collect()
    assert labs["component_value"].null_count() == 0


@pytest.mark.parametrize(
    "task, least, most", [("disposition", 0.22, 0.40), ("decompensation", 0.08, 0.30), ("revisit", 0.05, 0.26)]
)
def test_every_setting_of_every_task_has_cases_of_both_kinds(instances, task, least, most):
    for setting in SETTINGS[task]:
        part = instances[task].of(setting)
        assert len(part) > 300 and least < part["label"].mean() < most


@pytest.mark.parametrize("measure", ["hr", "map", "spo2"])
def test_nearly_every_decompensation_is_a_planted_decline(ingested, instances, measure):
    truth = pl.read_csv(ingested / "cohort" / "truth.tsv", separator="\t").rename({"CSN": "csn"})
    cases = instances["decompensation"].of("120m").join(truth, on="csn")
    positive = cases.filter(pl.col(f"label_{measure}") == 1)
    assert positive.height > 20 and positive[f"{measure}_declines"].mean() > 0.9
    assert cases.filter(pl.col(f"{measure}_declines"))[f"label_{measure}"].mean() > 0.6
