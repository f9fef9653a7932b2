"""The audit: every visit counted once per set, prevalence without a value where nobody is."""

import polars as pl
import pytest
from cohort_timeline import all_in, cohort, tables

from tirec.cohort.audit import count_exclusions, count_flags, count_prevalence
from tirec.cohort.instances import KEYS, build_instances, write_cohort
from tirec.config.cohort import SETTINGS, TASKS, CohortConfig
from tirec.errors import DataError
from tirec.records.schema import Tables

VISITS = [
    {"csn": 1, "mrn": 1},
    {"csn": 2, "mrn": 2, "ed_dispo": "ICU", "dc_dispo": "Transferred to another hospital"},
    {"csn": 3, "mrn": 3, "dc_dispo": "Left Against Medical Advice"},
    {"csn": 4, "mrn": 4, "departure_s": None},
]


def every_task() -> list:
    return [cohort(task, VISITS) for task in TASKS]


def test_exclusions_add_up_to_the_visits_in_every_set():
    counts = count_exclusions(built.exclusions for built in every_task())
    assert counts.columns == ["task", "setting", "reason", "n"]
    sums = counts.group_by("task", "setting", maintain_order=True).agg(pl.col("n").sum())
    assert sums["n"].to_list() == [4] * 9
    assert sums["task"].to_list() == [task for task in TASKS for _ in range(3)]
    assert counts.filter(task="disposition", setting="2h").drop("task", "setting").rows() == [
        ("included", 3),
        ("implausible_times", 1),
    ]


def test_tasks_of_different_visits_are_refused():
    built = [cohort("revisit", VISITS).exclusions, cohort("disposition", VISITS[:2]).exclusions]
    with pytest.raises(DataError, match="do not cover the same visits"):
        count_exclusions(built)


def test_prevalence_of_every_set_and_split():
    counts = count_prevalence(
        pl.concat(built.instances.select("task", "setting", "split", "label") for built in every_task())
    )
    assert len(counts) == 27
    assert counts.row(0, named=True) == {
        "task": "disposition",
        "setting": "1h",
        "split": "train",
        "n": 3,
        "n_pos": 1,
        "prevalence": pytest.approx(1 / 3, abs=1e-6),
    }
    assert counts.filter(task="disposition", setting="1h", split="test").row(0)[3:] == (0, 0, None)


def test_what_was_kept_is_counted():
    counts = count_flags(built.of(setting) for built in every_task() for setting in SETTINGS[built.task])
    disposition = counts.filter(task="disposition", setting="4h").select("flag", "n").rows()
    assert disposition == [("left_against_advice", 1), ("observation", 0), ("transferred", 1)]


def test_what_is_written_is_what_was_built(tmp_path):
    built = cohort("disposition", VISITS)
    write_cohort(built, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "1h.parquet",
        "2h.parquet",
        "4h.parquet",
        "exclusions.parquet",
    ]
    frame = pl.read_parquet(tmp_path / "2h.parquet")
    assert frame.columns[: len(KEYS)] == list(KEYS)
    assert dict(frame.schema) | {
        "instance_id": pl.Int64,
        "evidence_id": pl.Int64,
        "csn": pl.Int64,
        "mrn": pl.Int64,
        "cutoff_s": pl.Int64,
        "label": pl.Int8,
        "half": pl.String,
    } == dict(frame.schema)
    before = (tmp_path / "2h.parquet").read_bytes()
    write_cohort(built, tmp_path)
    assert (tmp_path / "2h.parquet").read_bytes() == before


def test_ids_are_unique_over_the_study():
    ids = pl.concat(built.instances["instance_id"] for built in every_task())
    assert ids.n_unique() == len(ids)


def test_a_visit_listed_twice_is_refused():
    records = tables(VISITS)
    visits = records.visits.collect()
    twice = Tables.of({"visits": pl.concat([visits, visits.head(1)])})
    with pytest.raises(DataError, match="listed twice"):
        build_instances("revisit", twice, all_in(visits), CohortConfig())
