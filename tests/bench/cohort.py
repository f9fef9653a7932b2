"""How fast records become what trees and agents are given: seconds, peak memory and rows per second; not a test.

python tests/bench/cohort.py --visits 10000 [--scratch FOLDER] [--sample 300]

Every stage is the script that the rule runs, in a process of its own: a synthetic folder of that size is written, then
read, split, made into the nine instance sets, features of all evidence, and the texts of the sampled cases (per task
10,000 for training, 4,000 from validation, 5,000 of test, as far as there are so many). Last, features of a sample of
visits are made once by the package and, in part, once by plain pandas (tests/bench/plain_pandas.py). With --scratch
the results stay there, and stages whose results exist are not run again. Threads: OMP_NUM_THREADS, POLARS_MAX_THREADS.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import plain_pandas
import polars as pl

from tirec.config.cohort import SETTINGS, TASKS
from tirec.config.evidence import EvidenceConfig
from tirec.evidence.features import build
from tirec.evidence.functions import REGISTRY
from tirec.evidence.window import CUTOFF_COLUMNS, gather
from tirec.records.schema import SPECS, Tables

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
COMPARED = ("heart_rate", "blood_pressure", "oxygen_saturation", "respiratory_rate", "orders")
SAMPLING = '{"sampling": {"test_instances": 5000}}'


@dataclass(frozen=True)
class Stage:
    """One script with its arguments, what it writes, and how many rows that was."""

    name: str
    arguments: list[str | Path]
    done: Path
    rows: Callable[[], int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=10_000, help="size of the synthetic cohort")
    parser.add_argument("--scratch", type=Path, help="folder for its files; a temporary one where not given")
    parser.add_argument("--sample", type=int, default=300, help="visits of the comparison with pandas")
    given = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = given.scratch or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{'stage':<36}{'seconds':>9}{'cpu s':>9}{'GiB':>7}{'rows':>13}{'rows/s':>12}")
        measured = [measure(stage) for stage in stages(folder, given.visits) if not stage.done.exists()]
        after = [found for found in measured if found[0] != "generate_cohort"]
        total, peak = sum(seconds for _, seconds, _ in after), max((gib for _, _, gib in after), default=0)
        print(f"\nfrom CSV to texts: {total:.0f} s, peak {peak:.2f} GiB, {given.visits:,} visits")
        compare(folder, given.sample)


def stages(folder: Path, visits: int) -> Iterator[Stage]:
    """The scripts in their order."""
    raw, tables, splits = folder / "raw", folder / "tables", folder / "splits.parquet"
    rows = lambda: table_rows(tables)  # noqa: E731
    settings = f'{{"visits": {visits}}}'
    yield Stage("generate_cohort", ["--settings", settings, "--output", raw], raw / "visits.csv", lambda: 0)
    audit = folder / "ingest.tsv"
    read = ["--root", raw, "--tables", tables, "--audit", audit]
    yield Stage("ingest_records", read, audit, rows)
    divided = ["--root", raw, "--tables", tables, "--output", splits]
    yield Stage("build_splits", divided, splits, lambda: height(splits))
    for task in TASKS:
        yield from of_task(folder, task)


def of_task(folder: Path, task: str) -> Iterator[Stage]:
    """Instances, features, the sample and its texts."""
    tables, splits = folder / "tables", folder / "splits.parquet"
    instances = [folder / "instances" / task / f"{setting}.parquet" for setting in SETTINGS[task]]
    features, sampled, texts = (folder / kind / f"{task}.parquet" for kind in ("features", "sampled", "observations"))
    data = ["--tables", tables]
    made = ["--task", task, *data, "--splits", splits, "--output-dir", instances[0].parent]
    yield Stage("build_instances", made, instances[-1], lambda: sum(map(height, instances)))
    shown = [*data, "--splits", splits, "--instances", *instances, "--output", features]
    yield Stage("build_features", shown, features, lambda: height(features))
    drawn = ["--instances", *instances, "--settings", SAMPLING, "--output", sampled]
    yield Stage("sample_instances", drawn, sampled, lambda: height(sampled))
    told = [*data, "--instances", *instances, "--sampled", sampled, "--output", texts]
    yield Stage("render_observations", told, texts, lambda: height(texts))


def measure(stage: Stage) -> tuple[str, float, float]:
    """Runs a stage; its name, seconds and peak memory in GiB."""
    command = [sys.executable, str(SCRIPTS / f"{stage.name}.py"), *map(str, stage.arguments)]
    if stage.name != "generate_cohort":
        command += ["--data-class", "synthetic"] if stage.name != "ingest_records" else []
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.read() if process.stderr else ""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{stage.name} failed: {said[-2000:]}")
    seconds, gib, rows = time.perf_counter() - start, used.ru_maxrss / 2**20, stage.rows()
    name = f"{stage.name} {task_of(stage.done)}".strip()
    cpu = used.ru_utime + used.ru_stime
    print(
        f"{name:<36}{seconds:>9.1f}{cpu:>9.1f}{gib:>7.2f}{rows or '-':>13}{rows / seconds if rows else 0:>12,.0f}",
        flush=True,
    )
    return stage.name, seconds, gib


def task_of(output: Path) -> str:
    """The task that an output belongs to, where it is of one."""
    return next((task for task in TASKS if task in (output.stem, output.parent.name)), "")


def height(path: Path) -> int:
    """Rows of a Parquet file."""
    return int(pl.scan_parquet(path).select(pl.len()).collect().item())


def table_rows(tables: Path) -> int:
    """Rows of all tables."""
    return sum(height(tables / f"{name}.parquet") for name in SPECS)


def compare(folder: Path, visits: int) -> None:
    """Seconds for all columns, and for some of them by the package and by plain pandas, with equal values."""
    instances = [folder / "instances" / "disposition" / f"{setting}.parquet" for setting in SETTINGS["disposition"]]
    cutoffs = pl.concat(pl.read_parquet(path, columns=list(CUTOFF_COLUMNS)) for path in instances)
    chosen = cutoffs["csn"].unique().sort()[:visits]
    cutoffs = cutoffs.filter(pl.col("csn").is_in(chosen.implode()))
    tables = Tables.open(folder / "tables")
    start = time.perf_counter()
    ours = build(tables, cutoffs, (), EvidenceConfig())
    whole = time.perf_counter() - start
    start = time.perf_counter()
    evidence = gather(tables, cutoffs, EvidenceConfig())
    parts = [REGISTRY[name].columns(evidence) for name in COMPARED]
    some = time.perf_counter() - start
    start = time.perf_counter()
    numerics, orders = plain_pandas.read(folder / "tables", chosen.to_list())
    theirs = plain_pandas.features(numerics, orders, cutoffs.select("evidence_id", "csn", "cutoff_s").to_pandas())
    pandas = time.perf_counter() - start
    require_equal(ours, pl.from_pandas(theirs, include_index=True))
    print(f"\n{len(chosen)} visits, {len(cutoffs)} cases")
    print(f"the package, all {ours.width - 1} columns: {whole:.2f} s")
    print(f"the package, {sum(part.width - 1 for part in parts)} columns of {len(COMPARED)} functions: {some:.2f} s")
    print(f"plain pandas, {theirs.shape[1]} of those, equal values: {pandas:.2f} s, {pandas / some:.0f} times as long")


def require_equal(ours: pl.DataFrame, theirs: pl.DataFrame) -> None:
    """Stops unless both name the same cases and agree in every column of the smaller."""
    for name in theirs.columns:
        if name == "evidence_id":
            same = ours[name].equals(theirs[name])
        else:
            one, two = ours[name].fill_nan(None), theirs[name].cast(pl.Float64).fill_nan(None)
            gap = (one - two).abs().max()
            same = bool((one.is_null() == two.is_null()).all()) and (gap is None or gap < 1e-2)
        if not same:
            sys.exit(f"{name}: the package and plain pandas disagree")


if __name__ == "__main__":
    main()
