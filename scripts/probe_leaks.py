"""The leak suite's probes of one task: another future, teachers with some columns, shuffled labels, single columns.

python scripts/probe_leaks.py --task revisit --tables results/tables --splits results/splits.parquet
    --instances results/instances/revisit/{3d,7d,14d}.parquet --features results/features/revisit.parquet
    --risk results/teachers/revisit/risk.parquet --settings SETTINGS --output-dir results/leak_suite/revisit
"""

import argparse
from pathlib import Path
from typing import get_args

import polars as pl

from tirec import frontend
from tirec.analysis.column_kinds import rank_columns
from tirec.analysis.floors import fit_arms
from tirec.analysis.leak_suite import compare_futures, require_no_leak, sample_cases
from tirec.config.cohort import Task
from tirec.config.leak_suite import LeakProbeConfig
from tirec.evidence.features import complaint_vocabulary
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.provenance import placed, record, write_tsv
from tirec.records.schema import Tables
from tirec.records.stored import SPLITS, read_alike, read_stored
from tirec.teacher.rows import read_rows


def main() -> None:
    """Writes future.tsv, arms.tsv and columns.tsv; a cell that changes with the future is an error."""
    parser = frontend.arguments(__doc__)
    parser.add_argument("--task", required=True, choices=get_args(Task))
    parser.add_argument("--tables", required=True, type=Path, help="folder of the ingested tables")
    parser.add_argument("--splits", required=True, type=Path, help="splits.parquet")
    parser.add_argument("--instances", required=True, type=Path, nargs="+", help="the task's instance files")
    parser.add_argument("--features", required=True, type=Path, help="features/{task}.parquet")
    parser.add_argument("--risk", required=True, type=Path, help="teachers/{task}/risk.parquet")
    parser.add_argument("--settings", help="leak_suite, evidence and teacher: JSON, or a file")
    parser.add_argument("--output-dir", required=True, type=Path, help="leak_suite/{task}")
    given = parser.parse_args()
    config = frontend.read_settings(LeakProbeConfig, given.settings)
    future = _another_future(given, config)
    require_no_leak(future)
    rows = read_rows(given.instances, given.features, given.task)
    arms = fit_arms(
        rows, read_stored(given.risk, ("instance_id", "p")), given.task, config.teacher, config.leak_suite.seed
    )
    write_tsv(future, given.output_dir / "future.tsv")
    write_tsv(arms, given.output_dir / "arms.tsv")
    write_tsv(rank_columns(rows), given.output_dir / "columns.tsv")
    outputs = [given.output_dir / name for name in ("future.tsv", "arms.tsv", "columns.tsv")]
    inputs = placed([*given.instances, given.features, given.risk])
    inputs |= {"splits": given.splits} | {
        f"tables/{path.name}": path for path in sorted(given.tables.glob("*.parquet"))
    }
    record(outputs, inputs, config.model_dump(), given.data_class, __file__)


def _another_future(given: argparse.Namespace, config: LeakProbeConfig) -> pl.DataFrame:
    """What changes with the future of a sample of the task's cases."""
    tables = Tables.open(given.tables)
    visits = tables.visits.select("csn", "cc", "arrival_abs_s", "arrival_day").collect()
    cutoffs = read_alike(given.instances, CUTOFF_COLUMNS, only=True)
    cases = sample_cases(cutoffs, visits, config.leak_suite)
    complaints = complaint_vocabulary(visits, read_stored(given.splits, SPLITS), config.evidence)
    found = compare_futures(tables, cases, complaints, config.evidence, config.leak_suite.seed)
    return found.select(pl.lit(len(cases)).alias("cases"), pl.all())


if __name__ == "__main__":
    frontend.run(main)
