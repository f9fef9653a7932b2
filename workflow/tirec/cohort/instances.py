"""From visits to numbered instances, and one reason for every visit that is not one."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.cohort.decompensation import label_decompensation
from tirec.cohort.disposition import label_disposition
from tirec.cohort.population import INCLUDED, visit_facts
from tirec.cohort.revisit import label_revisit
from tirec.config.cohort import INSTANCE_SETS, SETTINGS, CohortConfig, Task
from tirec.errors import DataError
from tirec.provenance import write_parquet
from tirec.records.schema import Tables

KEYS = ("instance_id", "evidence_id", "csn", "mrn", "split", "half", "task", "setting", "cutoff_s", "label")


@dataclass(frozen=True)
class Cohort:
    """One task: instances (KEYS, then the task's own columns) and the fate of every visit in every setting."""

    task: Task
    instances: pl.DataFrame
    exclusions: pl.DataFrame
    """task, setting, csn, reason; reason is `included` for instances; one row per visit of the tables and setting."""

    def of(self, setting: str) -> pl.DataFrame:
        """The instances of one setting, by csn."""
        return self.instances.filter(pl.col("setting") == setting)


def build_instances(task: Task, tables: Tables, splits: pl.DataFrame, config: CohortConfig) -> Cohort:
    """Every instance of a task and why every other visit is none; raises DataError for an unknown `ed_dispo`."""
    facts = visit_facts(tables.visits.collect(), splits)
    decided = _label(task, facts, tables, config).with_columns(task=pl.lit(task))
    exclusions = decided.select("task", "setting", "csn", "reason")
    _check_complete(exclusions, len(facts))
    included = decided.filter(pl.col("reason") == INCLUDED).drop("reason")
    return Cohort(task, number_instances(included, splits, task), exclusions)


def _label(task: Task, facts: pl.DataFrame, tables: Tables, config: CohortConfig) -> pl.DataFrame:
    if task == "disposition":
        return label_disposition(facts, config)
    if task == "decompensation":
        return label_decompensation(facts, tables.numerics, config)
    return label_revisit(facts, config)


def _check_complete(exclusions: pl.DataFrame, visits: int) -> None:
    counts = exclusions.group_by("setting").agg(n=pl.len(), distinct=pl.col("csn").n_unique())
    if counts.filter((pl.col("n") != visits) | (pl.col("distinct") != visits)).height:
        raise DataError(f"visits: not every one of {visits} visits has exactly one reason in every setting")


def number_instances(included: pl.DataFrame, splits: pl.DataFrame, task: Task) -> pl.DataFrame:
    """Adds ids and split to included rows: instance_id = k·n + i, where i is the visit's row in `splits`, n its length.

    Settings that share their evidence (all of a task but disposition) share evidence_id = i; else it is j·n + i.
    """
    names = list(SETTINGS[task])
    k = pl.col("setting").replace_strict(
        {name: INSTANCE_SETS.index((task, name)) for name in names}, return_dtype=pl.Int64
    )
    j = pl.col("setting").replace_strict({name: names.index(name) for name in names}, return_dtype=pl.Int64)
    visit, n = pl.col("visit"), len(splits)
    evidence = j * n + visit if task == "disposition" else visit
    ordinal = splits.with_row_index("visit").with_columns(visit.cast(pl.Int64))
    rows = included.join(ordinal, on="csn").with_columns(instance_id=k * n + visit, evidence_id=evidence)
    return rows.sort("instance_id").select(*KEYS, pl.exclude(*KEYS, "visit"))


def write_cohort(cohort: Cohort, directory: Path) -> None:
    """Writes `{setting}.parquet` for each setting and `exclusions.parquet` into the task's folder."""
    for setting in SETTINGS[cohort.task]:
        write_parquet(cohort.of(setting), directory / f"{setting}.parquet")
    write_parquet(cohort.exclusions, directory / "exclusions.parquet")
