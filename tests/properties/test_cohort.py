"""The fast cohort agrees with the slow one on thousands of random visits, and with what any cohort must satisfy."""

from itertools import pairwise

import polars as pl
import pytest
from cohort_oracle import ORACLES
from cohort_random import as_tables, random_cohort
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tirec.cohort.instances import build_instances
from tirec.cohort.population import INCLUDED
from tirec.config.cohort import SETTINGS, TASKS, CohortConfig

VISITS = 400
CHOICES = {
    "default": {},
    "paper-literal": {
        "disposition": {"at_risk": "paper-literal", "observation": "discharge"},
        "decompensation": {"persistence": "two"},
        "revisit": {"cutoff": "decision"},
    },
    "generous": {
        "disposition": {"observation": "excluded", "died_in_ed": "keep"},
        "decompensation": {"triage_missing": "ignore", "label_source": "monitor_and_chart"},
        "left_against_advice": "exclude",
    },
    "strict": {
        "decompensation": {"coverage": "hr_spo2_map", "persistence": "two", "label_source": "monitor_and_chart"}
    },
    "whole horizon": {"decompensation": {"coverage": "full_horizon", "triage_missing": "ignore"}},
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("seed", [1, 2])
def test_agrees_with_the_oracle(choice, seed):
    config = CohortConfig.model_validate(CHOICES[choice])
    visits, rows, tables, splits = random_cohort(100 * seed + len(choice), VISITS)
    for task in TASKS:
        built = build_instances(task, tables, splits, config)
        reasons = {
            (csn, name): why for csn, name, why in built.exclusions.select("csn", "setting", "reason").iter_rows()
        }
        found = {(row["csn"], row["setting"]): row for row in built.instances.iter_rows(named=True)}
        for visit in visits:
            expected = ORACLES[task](visit, rows[visit["csn"]], config)
            for name, fate in zip(SETTINGS[task], expected, strict=True):
                key = (visit["csn"], name)
                if isinstance(fate, str):
                    assert reasons[key] == fate, (task, key)
                    assert key not in found
                else:
                    assert reasons[key] == INCLUDED, (task, key)
                    assert fate.items() <= found[key].items(), (task, key)


def test_every_reason_and_both_labels_occur_in_the_random_cohort():
    """The comparison above would mean little if the random visits never met a rule."""
    visits, _, tables, splits = random_cohort(0, 3000)
    met = set()
    for task in TASKS:
        built = build_instances(task, tables, splits, CohortConfig())
        met |= {(task, reason) for reason in built.exclusions["reason"].unique()}
        assert built.instances["label"].unique().sort().to_list() == [0, 1]
        assert all(built.of(setting).height > 30 for setting in SETTINGS[task])
    assert len(visits) == 3000 and len(met) == 8 + 14 + 9


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), choice=st.sampled_from(list(CHOICES)))
def test_what_any_cohort_satisfies(seed, choice):
    config = CohortConfig.model_validate(CHOICES[choice])
    visits, _, tables, splits = random_cohort(seed, 150)
    for task in TASKS:
        built = build_instances(task, tables, splits, config)
        per_set = built.exclusions.group_by("setting").agg(pl.len(), pl.col("csn").n_unique().alias("distinct"))
        assert set(per_set.select("len", "distinct").rows()) == {(len(visits), len(visits))}
        assert built.instances.height == (built.exclusions["reason"] == INCLUDED).sum()
        assert built.instances["instance_id"].n_unique() == built.instances.height
        assert (
            built.instances.select(pl.all_horizontal(pl.col("split", "cutoff_s", "label").is_not_null()))
            .to_series()
            .all()
        )
        if task != "disposition":
            assert_nested(built.instances, list(SETTINGS[task]))


def assert_nested(instances: pl.DataFrame, names: list[str]) -> None:
    """A label that is positive within a horizon is positive within every longer one."""
    wide = instances.pivot("setting", index="csn", values="label")
    for shorter, longer in pairwise(names):
        if {shorter, longer} <= set(wide.columns):
            assert wide.filter((pl.col(shorter) == 1) & (pl.col(longer) == 0)).is_empty()


def test_what_happens_after_the_horizon_or_to_others_changes_nothing():
    visits, rows, tables, splits = random_cohort(5, 600)
    before = build_instances("decompensation", tables, splits, CohortConfig()).of("60m")
    last = dict(before.select("csn", pl.col("cutoff_s") + 3600).iter_rows())
    changed = {
        csn: [{**row, "value": 1.0} if row["time_s"] > last.get(csn, 10**9) else row for row in found]
        for csn, found in rows.items()
    }
    assert changed != rows
    later = build_instances("decompensation", as_tables(visits, changed), splits, CohortConfig()).of("60m")
    assert later.equals(before)
    half = [visit for visit in visits if visit["csn"] % 2]
    alone = build_instances("decompensation", as_tables(half, rows), splits, CohortConfig()).of("60m")
    assert alone.equals(before.filter(pl.col("csn") % 2 == 1))


def test_outcomes_move_the_label_alone():
    """Turning every disposition and return around leaves cutoffs, and decompensation as a whole, as they were."""
    visits, rows, tables, splits = random_cohort(6, 400)
    turned = {"Discharge": "ICU", "ICU": "Discharge", "Inpatient": "Discharge", "Observation": "Discharge", None: None}
    other = as_tables([{**visit, "ed_dispo": turned[visit["ed_dispo"]]} for visit in visits], rows)
    config = CohortConfig.model_validate({"disposition": {"died_in_ed": "keep"}})
    one = build_instances("disposition", tables, splits, config).instances
    two = build_instances("disposition", other, splits, config).instances
    assert one.drop("label", "observation").equals(two.drop("label", "observation"))
    assert (one["label"] != two["label"]).all()
    same = [build_instances("decompensation", t, splits, config).instances for t in (tables, other)]
    assert same[0].equals(same[1])
