"""What the stages after reading say of damaged, foreign or missing inputs: one line, exit code 2, nothing written."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from front_ends import run_script

from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.write import generate

Change = Callable[[Path], object]
SETS = [f"results/instances/revisit/{setting}.parquet" for setting in SETTINGS["revisit"]]


def splits(study: Path, made: Path) -> tuple[str | Path, ...]:
    return ("build_splits", "--root", study / "raw", "--tables", study / "results/tables",
            "--output", made / "splits.parquet", "--audit", made / "splits.tsv")  # fmt: skip


def instances(task: str) -> Callable[[Path, Path], tuple[str | Path, ...]]:
    def arguments(study: Path, made: Path) -> tuple[str | Path, ...]:
        return ("build_instances", "--task", task, "--tables", study / "results/tables",
                "--splits", study / "results/splits.parquet", "--output-dir", made / task)  # fmt: skip

    return arguments


def sampled(study: Path, made: Path) -> tuple[str | Path, ...]:
    return ("sample_instances", "--output", made / "revisit.parquet", "--instances", *(study / name for name in SETS))


def audit(study: Path, made: Path) -> tuple[str | Path, ...]:
    return ("audit_cohort", "--instances-dir", study / "results/instances", "--exclusions", made / "exclusions.tsv",
            "--prevalence", made / "prevalence.tsv", "--flags", made / "flags.tsv")  # fmt: skip


def features(study: Path, made: Path) -> tuple[str | Path, ...]:
    return ("build_features", "--tables", study / "results/tables", "--splits", study / "results/splits.parquet",
            "--output", made / "revisit.parquet", "--instances", *(study / name for name in SETS))  # fmt: skip


def teacher(study: Path, made: Path) -> tuple[str | Path, ...]:
    outputs = {"model": "m.txt", "risk": "r.parquet", "importance": "i.tsv", "by-function": "f.tsv"}
    outputs["contributions"] = "c.parquet"
    flags = [part for name, file in outputs.items() for part in (f"--output-{name}", made / file)]
    return ("train_teacher", "--task", "revisit", "--features", study / "results/features/revisit.parquet",
            "--instances", *(study / name for name in SETS), *flags)  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    """Four hundred synthetic visits up to features, by the scripts."""
    study = tmp_path_factory.mktemp("sound")
    generate(SyntheticConfig(visits=400, seed=1), study / "raw")
    results = study / "results"
    ingest = ("--root", study / "raw", "--tables", results / "tables", "--audit", results / "audit" / "ingest.tsv")
    steps = [("ingest_records", *ingest), splits(study, results)]
    steps += [instances(task)(study, results / "instances") for task in TASKS]
    steps.append(features(study, results / "features"))
    for step in steps:
        assert run_script(str(step[0]), *step[1:])[0] == 0
    return study


def rewrite(name: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Change:
    def rewritten(study: Path) -> None:
        change(pl.read_parquet(study / name)).write_parquet(study / name)

    return rewritten


def without(name: str, column: str) -> Change:
    return rewrite(name, lambda frame: frame.drop(column))


def cut(name: str) -> Change:
    return lambda study: (study / name).write_bytes((study / name).read_bytes()[:100])


def gone(name: str) -> Change:
    return lambda study: (study / name).unlink()


def text(name: str, content: str) -> Change:
    return lambda study: (study / name).write_text(content)


def in_two_splits(study: Path) -> None:
    first = (study / "raw/split_chrono_train.csv").read_text().split()[0]
    with (study / "raw/split_chrono_test.csv").open("a") as handle:
        handle.write(f"{first}\n")


def torn_patient(study: Path) -> None:
    visits = pl.read_parquet(study / "results/tables/visits.parquet")
    several = visits.group_by("mrn", maintain_order=True).agg("csn").filter(pl.col("csn").list.len() > 1)["csn"][0]
    for part, moved in {"train": several[:1], "val": [], "test": several[1:]}.items():
        path = study / f"raw/split_chrono_{part}.csv"
        kept = [line for line in path.read_text().split() if int(line) not in set(several)]
        path.write_text("\n".join([*kept, *map(str, moved)]) + "\n")


def packed_and_cut(study: Path) -> None:
    path = study / "raw/split_chrono_val.csv"
    content = gzip.compress(path.read_bytes())
    path.with_suffix(".csv.gz").write_bytes(content[: len(content) // 2])
    path.unlink()


def everywhere(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Change:
    return lambda study: [rewrite(name, change)(study) for name in SETS]


VISITS, NUMERICS, LABS = (f"results/tables/{name}.parquet" for name in ("visits", "numerics", "labs"))
SPLITS, VALIDATION = "results/splits.parquet", "raw/split_chrono_val.csv"
Front = Callable[[Path, Path], tuple[str | Path, ...]]

CASES: dict[str, tuple[Front, Change, str]] = {
    "visit in two splits": (splits, in_two_splits, "row 32: this CSN is in split_chrono_train.csv too"),
    "patient in two splits": (splits, torn_patient, "1 patients are in two splits"),
    "split file with a header": (splits, text(VALIDATION, "CSN\n1\n"), "split_chrono_val.csv: row 1: is not one CSN"),
    "split file of two columns": (splits, text(VALIDATION, "1,2\n"), "split_chrono_val.csv: row 1: is not one CSN"),
    "empty split file": (splits, text(VALIDATION, ""), "split_chrono_val.csv: is empty"),
    "split of unknown visits": (splits, text(VALIDATION, "123\n"), "no visit is in the split validation"),
    "split file cut": (splits, packed_and_cut, "val.csv.gz: cannot be read (its compressed data ends too early"),
    "no tables": (splits, lambda study: shutil.rmtree(study / "results/tables"), "visits.parquet: this table does not"),
    "visits cut": (splits, cut(VISITS), "visits.parquet: is not a whole Parquet file; remove it and make it again"),
    "visits without patients": (splits, without(VISITS, "mrn"), "visits.parquet: column mrn is missing"),
    "visits without rows": (splits, rewrite(VISITS, lambda v: v.head(0)), "no visit is in the split train"),
    "visits without departures": (
        instances("disposition"), without(VISITS, "departure_s"), "visits.parquet: column departure_s is missing",
    ),
    "visits twice": (
        instances("revisit"), rewrite(VISITS, lambda v: pl.concat([v, v.head(1)])), "1 visits are listed twice",
    ),
    "unknown disposition": (
        instances("revisit"),
        rewrite(VISITS, lambda v: v.with_columns(ed_dispo=pl.lit("Ward"))),
        "ED_dispo is not one of Discharge, Inpatient, Observation, ICU in 400 rows (first: data row 1)",
    ),
    "no splits": (instances("revisit"), gone(SPLITS), "splits.parquet: this table does not exist"),
    "splits are text": (instances("revisit"), text(SPLITS, "csn\n1\n"), "splits.parquet: is not a whole Parquet file"),
    "splits without halves": (instances("revisit"), without(SPLITS, "half"), "splits.parquet: column half is missing"),
    "splits of another type": (
        instances("revisit"),
        rewrite(SPLITS, lambda s: s.with_columns(pl.col("csn").cast(pl.String))),
        "splits.parquet: column csn is String, not Int64",
    ),
    "splits without rows": (instances("revisit"), rewrite(SPLITS, lambda s: s.head(0)), "no visit is eligible"),
    "no numerics": (instances("decompensation"), gone(NUMERICS), "numerics.parquet: this table does not exist"),
    "numerics cut": (instances("decompensation"), cut(NUMERICS), "numerics.parquet: is not a whole Parquet file"),
    "numerics without source": (
        instances("decompensation"), without(NUMERICS, "source"), "numerics.parquet: column source is missing",
    ),
    "numerics without rows": (
        instances("decompensation"), rewrite(NUMERICS, lambda n: n.head(0)), "60m: no visit is eligible",
    ),
    "nobody to train on": (
        sampled, everywhere(lambda part: part.filter(pl.col("split") != "train")), "no instance to train on",
    ),
    "instances are text": (sampled, text(SETS[0], "hello"), "3d.parquet: is not a whole Parquet file"),
    "instances without label": (sampled, without(SETS[0], "label"), "3d.parquet: column label is missing"),
    "instances of two shapes": (
        sampled, without(SETS[1], "left_against_advice"), "7d.parquet: has other columns than 3d.parquet",
    ),
    "a set is missing": (audit, gone(SETS[0]), "3d.parquet: this table does not exist"),
    "exclusions of other visits": (
        audit,
        rewrite("results/instances/revisit/exclusions.parquet", lambda fates: fates.head(10)),
        "the tasks do not cover the same visits (10 to 400)",
    ),
    "labs cut": (features, cut(LABS), "labs.parquet: is not a whole Parquet file"),
    "labs without values": (features, without(LABS, "value"), "labs.parquet: column value is missing"),
    "tables of other visits": (features, rewrite(VISITS, lambda v: v.head(20)), "make the instances again from these"),
    "one class to train on": (
        teacher,
        everywhere(lambda part: part.with_columns(label=pl.lit(0, pl.Int8))),
        "teacher: one class only (0 positive of",
    ),
    "features of other instances": (
        teacher, rewrite("results/features/revisit.parquet", lambda f: f.head(3)), "instances have no features",
    ),
    "instances of another task": (
        teacher,
        lambda study: shutil.copy(study / "results/instances/disposition/1h.parquet", study / SETS[0]),
        "the instances are not all of the task revisit",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_line_and_nothing_written(name: str, sound: Path, tmp_path: Path) -> None:
    front, change, expected = CASES[name]
    study, made = shutil.copytree(sound, tmp_path / "study"), tmp_path / "made"
    change(study)
    script, *arguments = front(study, made)
    code, said = run_script(str(script), *arguments)
    assert code == 2 and said.startswith("error: ") and said.count("\n") == 1 and expected in said
    assert not [path for path in made.rglob("*") if path.is_file()]


def test_one_class_of_open_records_is_said_and_stops_nothing(sound: Path, tmp_path: Path) -> None:
    study, made = shutil.copytree(sound, tmp_path / "study"), tmp_path / "made"
    everywhere(lambda part: part.with_columns(label=pl.lit(0, pl.Int8)))(study)
    script, *arguments = teacher(study, made)
    code, said = run_script(str(script), *arguments, "--data-class", "open")
    assert code == 0 and said.count("note: revisit: the teacher is undefined (teacher: one class only (0 positive") == 1
    assert set(pl.read_parquet(made / "r.parquet")["p"]) == {0.0}
    assert pl.read_csv(made / "i.tsv", separator="\t")["gain"].sum() == 0
