"""Teachers with some of the columns, shuffled labels, and the floors under every model: prevalence, arrival view."""

import numpy as np
import polars as pl

from tirec.analysis.column_kinds import restricted
from tirec.analysis.scoring import measure
from tirec.analysis.sensitivity import fit_teacher
from tirec.config.cohort import Split, Task
from tirec.config.teacher import TeacherConfig
from tirec.evaluation.intervals import rounded
from tirec.teacher.rows import Rows
from tirec.teacher.undefined import fit_or_undefined

METRICS = ("auroc", "auprc", "brier", "log_loss")
FLOORS = ("prevalence", "arrival")


def fit_arms(rows: Rows, risk: pl.DataFrame, task: Task, rules: TeacherConfig, seed: int) -> pl.DataFrame:
    """Fits process, physiology, arrival and shuffled labels; `risk` is the study's own teacher (both).

    arm, split, setting, metric, value, ci_low, ci_high, n, n_pos.
    """
    risks = {
        "both": risk,
        **{arm: fit_teacher(restricted(rows, arm), rules).risk for arm in ("process", "physiology")},
        "arrival": fit_or_undefined(restricted(rows, "arrival"), rules).risk,
        "prevalence": prevalence_risk(rows.keys),
    }
    shuffled = shuffle_labels(rows.of_split("train"), seed)
    found = [_scored(arm, rows.keys, frame, task) for arm, frame in risks.items()]
    found.append(_measured("shuffled", shuffled.keys, fit_or_undefined(shuffled, rules).risk, task, "train"))
    return rounded(pl.concat(found))


def prevalence_risk(keys: pl.DataFrame) -> pl.DataFrame:
    """instance_id, p: the share of positives among training instances of the same setting."""
    train = keys.filter(pl.col("split") == "train").group_by("setting").agg(p=pl.col("label").mean())
    return keys.join(train, on="setting", how="left", maintain_order="left").select("instance_id", "p")


def shuffle_labels(train: Rows, seed: int) -> Rows:
    """Training rows whose labels are dealt out anew within each setting."""
    draw = np.random.default_rng([seed, 7])
    label, setting = train.label.copy(), train.keys["setting"].to_numpy()
    for name in np.unique(setting):
        inside = np.flatnonzero(setting == name)
        label[inside] = label[draw.permutation(inside)]
    return Rows(train.keys.with_columns(label=pl.Series(label)), train.values, train.features)


def _scored(arm: str, keys: pl.DataFrame, risk: pl.DataFrame, task: Task) -> pl.DataFrame:
    splits: tuple[Split, ...] = ("train", "validation")
    return pl.concat(_measured(arm, keys, risk, task, split) for split in splits)


def _measured(arm: str, keys: pl.DataFrame, risk: pl.DataFrame, task: Task, split: Split) -> pl.DataFrame:
    draws = 200 if split == "validation" else 0
    found = measure(keys, risk, task, split, METRICS, draws)
    return found.select(pl.lit(arm).alias("arm"), pl.lit(split).alias("split"), pl.all())
