"""The four scripts in their order, with the arguments the workflow gives them, on sixty visits."""

from pathlib import Path

import polars as pl
import pytest
from cohort_timeline import numerics, tables
from front_ends import run_script

from tirec.config.cohort import SETTINGS, TASKS
from tirec.records.schema import SPECS

QUIET = ("10m Monitor HR 80", "11m Monitor SpO2 97", "30m Monitor HR 82", "30m Monitor SpO2 98")


def run(name: str, *arguments: str | Path) -> tuple[int, str]:
    """Exit code and stderr of a script on synthetic data, unless the arguments name another class."""
    return run_script(name, "--data-class", "synthetic", *arguments)


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> Path:
    """A folder of three split files, and the tables of sixty visits beside it."""
    root = tmp_path_factory.mktemp("records")
    visits = [
        {"csn": csn, "mrn": csn, "ed_dispo": "ICU" if csn % 4 == 0 else "Discharge", "hours_to_next_visit": 50.0 * csn}
        for csn in range(1, 61)
    ]
    rows = [
        row
        for csn in range(1, 61)
        for row in numerics(*QUIET, *(["40m Monitor HR 130"] if csn % 3 == 0 else []), csn=csn)
    ]
    made = tables(visits, rows).collect()
    (root / "tables").mkdir()
    for name in SPECS:
        made[name].write_parquet(root / "tables" / f"{name}.parquet")
        (root / f"{name}.csv").touch()
    for ending, csns in {"train": range(1, 41), "val": range(41, 51), "test": range(51, 61)}.items():
        (root / f"split_chrono_{ending}.csv").write_text("".join(f"{csn}\n" for csn in csns))
    return root


def test_from_split_files_to_the_sample_and_the_audit(records):
    splits, folder = records / "splits.parquet", records / "instances"
    code, said = run("build_splits", "--root", records, "--tables", records / "tables", "--output", splits)
    assert code == 0 and "visits_train 40" in said and "visits_test 10" in said
    code, said = run(
        "build_splits",
        "--root",
        records,
        "--tables",
        records / "tables",
        "--output",
        splits,
        "--data-class",
        "credentialed",
    )
    assert code == 0 and "visits_test <11" in said
    for task in TASKS:
        places = ("--tables", records / "tables", "--splits", splits, "--output-dir", folder / task)
        assert run("build_instances", "--task", task, *places)[0] == 0
        sets = [folder / task / f"{setting}.parquet" for setting in SETTINGS[task]]
        code, said = run("sample_instances", "--output", records / f"{task}.parquet", "--instances", *sets)
        assert code == 0 and "of 10,000 asked for" in said
        assert set(pl.read_parquet(records / f"{task}.parquet")["role"]) == {"train", "select", "threshold", "test"}
    exclusions, prevalence = records / "exclusions.tsv", records / "prevalence.tsv"
    assert (
        run("audit_cohort", "--instances-dir", folder, "--exclusions", exclusions, "--prevalence", prevalence)[0] == 0
    )
    counts = pl.read_csv(exclusions, separator="\t").group_by("task", "setting").agg(pl.col("n").sum())
    assert counts["n"].to_list() == [60] * 9
    assert pl.read_csv(prevalence, separator="\t")["n"].sum() == 60 * 3 + 60 * 3 + 45 * 3


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ('{"splits": {"half_a_share": 2}}', "error: splits.half_a_share"),
        ('{"splits": {"family": "random"}}', "split_random_train.csv: this file is missing"),
    ],
)
def test_a_fault_is_one_line_and_leaves_nothing_behind(records, tmp_path, settings, expected):
    places = ("--root", records, "--tables", records / "tables", "--output", tmp_path / "splits.parquet")
    code, said = run("build_splits", *places, "--settings", settings)
    assert code == 2 and expected in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_set_without_instances_is_a_fault(records, tmp_path):
    empty = pl.DataFrame(schema={"csn": pl.Int64, "mrn": pl.Int64, "split": pl.String, "half": pl.String})
    empty.write_parquet(tmp_path / "splits.parquet")
    places = (
        "--tables",
        records / "tables",
        "--splits",
        tmp_path / "splits.parquet",
        "--output-dir",
        tmp_path / "made",
    )
    code, said = run("build_instances", "--task", "revisit", *places)
    assert code == 2 and said.startswith("error: revisit 3d: no visit is eligible") and not (tmp_path / "made").exists()
