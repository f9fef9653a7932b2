"""Does the conclusion depend on the unstated choices? Every decision against its alternatives, teacher only."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tirec.analysis.scoring import MEAN, measure
from tirec.cohort.instances import build_instances
from tirec.config.cohort import TASKS, Task
from tirec.config.sensitivity import AlternativeConfig
from tirec.config.teacher import TeacherConfig
from tirec.evaluation.intervals import rounded
from tirec.evidence.features import build, complaint_vocabulary
from tirec.evidence.menu import REWARDABLE
from tirec.evidence.window import CUTOFF_COLUMNS
from tirec.records.schema import Tables
from tirec.teacher import gbm, reference_sets
from tirec.teacher.rows import Rows, join_rows
from tirec.teacher.undefined import fit_or_undefined

SCORE_COLUMNS = ("setting", "n", "n_pos", "prevalence", "auroc_train", "auroc_validation", "auroc_low", "auroc_high")


@dataclass(frozen=True)
class Known:
    """Features that the study has already made, and of which cutoffs."""

    cutoffs: pl.DataFrame
    """evidence_id, csn, mrn, cutoff_s."""
    features: pl.DataFrame
    """evidence_id and columns; one row per cutoff."""


def alternative_rows(
    task: Task, tables: Tables, splits: pl.DataFrame, config: AlternativeConfig, known: Known | None
) -> Rows:
    """The teacher's rows under one configuration; features of `known` cutoffs are taken from there."""
    instances = build_instances(task, tables, splits, config.cohort).instances
    cutoffs = instances.select(CUTOFF_COLUMNS).unique()
    return join_rows(instances, _features(tables, splits, cutoffs, config, known))


def _features(
    tables: Tables, splits: pl.DataFrame, cutoffs: pl.DataFrame, config: AlternativeConfig, known: Known | None
) -> pl.DataFrame:
    """A case's features depend on its own cutoff only, so that those of the same cutoff need no second making."""
    parts = []
    if known:
        same = cutoffs.join(known.cutoffs, on=CUTOFF_COLUMNS, how="semi")
        parts.append(known.features.join(same, on="evidence_id", how="semi"))
        cutoffs = cutoffs.join(same, on="evidence_id", how="anti")
    if len(cutoffs) or not parts:
        visits = tables.visits.select("csn", "cc").collect()
        complaints = complaint_vocabulary(visits, splits, config.evidence)
        parts.append(build(tables, cutoffs, complaints, config.evidence))
    return pl.concat(parts).sort("evidence_id")


def fit_teacher(rows: Rows, rules: TeacherConfig) -> gbm.Teacher:
    """A teacher that never sees test; with one class on train it knows the prevalence only."""
    return fit_or_undefined(rows.of_split("train", "validation"), rules)


def scores(keys: pl.DataFrame, risk: pl.DataFrame, task: Task, draws: int) -> pl.DataFrame:
    """SCORE_COLUMNS, one row per setting and their `mean`; AUROC out of fold on train, and on validation.

    n and n_pos count training and validation instances.
    """
    keys = keys.filter(pl.col("split") != "test")
    train = measure(keys, risk, task, "train", ["auroc"])
    validation = measure(keys, risk, task, "validation", ["auroc"], draws)
    return rounded(
        _counts(keys)
        .join(train.select("setting", auroc_train="value"), on="setting", how="left", maintain_order="left")
        .join(
            validation.select("setting", auroc_validation="value", auroc_low="ci_low", auroc_high="ci_high"),
            on="setting",
            how="left",
            maintain_order="left",
        )
        .select(SCORE_COLUMNS)
    )


def _counts(keys: pl.DataFrame) -> pl.DataFrame:
    """setting, n, n_pos, prevalence, in the study's order, then all of them as `mean`."""
    count = {"n": pl.len().cast(pl.Int64), "n_pos": pl.col("label").cast(pl.Int64).sum()}
    parts = keys.group_by("setting", maintain_order=True).agg(**count)
    whole = keys.select(pl.lit(MEAN).alias("setting"), **count)
    return pl.concat([parts, whole]).with_columns(prevalence=pl.col("n_pos") / pl.col("n"))


def reference_set(task: Task, importance: pl.DataFrame, rules: TeacherConfig) -> pl.DataFrame:
    """task, function, gain, share, in_reference of one teacher."""
    return reference_sets.build({task: importance}, REWARDABLE, rules)


@dataclass(frozen=True)
class Assessed:
    """One teacher's scores and its reference set."""

    scores: pl.DataFrame
    members: tuple[str, ...]


def compare(
    own: Mapping[Task, Assessed],
    others: Mapping[tuple[str, Task], Assessed],
    names: Mapping[str, tuple[str, str]],
) -> pl.DataFrame:
    """The study's own choices and every alternative, one row per task, alternative and setting.

    `names` gives decision and value of each alternative. `entered` and `left` are functions that the alternative puts
    into the reference set, or takes out of it; `difference` is validation AUROC minus the study's own, of another
    cohort or label wherever n or prevalence differ.
    """
    parts = []
    for task in TASKS:
        parts.append(_rows(("-", "the study's own"), task, own[task], own[task]))
        parts += [_rows(names[name], task, found, own[task]) for (name, of), found in others.items() if of == task]
    return pl.concat(parts)


def _rows(named: tuple[str, str], task: Task, found: Assessed, own: Assessed) -> pl.DataFrame:
    usual = own.scores.select("setting", usual="auroc_validation")
    joined = found.scores.join(usual, on="setting", how="left", maintain_order="left")
    decision, value = named
    return joined.select(
        pl.lit(decision).alias("decision"),
        pl.lit(value).alias("value"),
        pl.lit(task).alias("task"),
        *SCORE_COLUMNS,
        (pl.col("auroc_validation") - pl.col("usual")).round(6).alias("difference"),
        pl.lit(" ".join(found.members)).alias("reference_set"),
        pl.lit(" ".join(name for name in found.members if name not in own.members)).alias("entered"),
        pl.lit(" ".join(name for name in own.members if name not in found.members)).alias("left"),
    )
