"""Tables behind the calibration and decision curves; both pool a task's settings."""

import numpy as np
import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.calibration import UNCHANGED, Recalibration, recalibration, smooth_ece
from tirec.evaluation.intervals import Resample, interval, resample, rounded
from tirec.evaluation.metrics import net_benefit
from tirec.evaluation.scores import group_of
from tirec.evaluation.weighted import Resampled
from tirec.records.small_counts import SMALL

BINS = 10
"""Groups of about equally many cases; equal p stay together, and no group holds fewer than 11 patients."""
ANSWERED, RECALIBRATED = "answered", "recalibrated"
STEP = 0.01
"""Between the thresholds of a decision curve."""


def calibration_table(
    flagged: pl.DataFrame, half_b: pl.DataFrame, sample: Resample, rules: EvaluationConfig
) -> pl.DataFrame:
    """Per task, kind of p and bin: mean p, observed share of positives with its interval, smooth ECE of the whole.

    p is as answered, or recalibrated on validation half B: a straight line in log odds for each task and setting.
    """
    rows: list[dict[str, object]] = []
    for kind, cases in ((ANSWERED, flagged), (RECALIBRATED, recalibrated(flagged, half_b))):
        for (task,), part in cases.group_by("task", maintain_order=True):
            rows += [{"task": task, "p_kind": kind, **row} for row in _calibration_rows(part, sample, rules)]
    return rounded(pl.DataFrame(rows, infer_schema_length=None))


def _calibration_rows(cases: pl.DataFrame, sample: Resample, rules: EvaluationConfig) -> list[dict[str, object]]:
    resampled = Resampled(group_of(cases, sample), sample.weights)
    error = interval(smooth_ece(resampled), rules.confidence)
    shared = {"smooth_ece": error.value, "smooth_ece_low": error.low, "smooth_ece_high": error.high}
    place = bins(cases["p"].to_numpy(), cases["mrn"].to_numpy())
    rows: list[dict[str, object]] = []
    for number in range(place.max() + 1):
        inside = place == number
        with np.errstate(invalid="ignore"):
            share = resampled.total(inside & resampled.group.label) / resampled.total(inside)
        observed = interval(share, rules.confidence)
        part = cases.filter(pl.Series(inside))
        row: dict[str, object] = {
            "bin": number + 1,
            "n": part.height,
            "patients": part["mrn"].n_unique(),
            "p_mean": part["p"].mean(),
        }
        rows.append(row | {"observed": observed.value, "ci_low": observed.low, "ci_high": observed.high} | shared)
    return rows


def bins(p: np.ndarray, patient: np.ndarray) -> np.ndarray:
    """(cases,) the bin of each case, from 0, by rising p."""
    _, level = np.unique(p, return_inverse=True)
    place, number, inside = np.zeros(p.size, dtype=int), 0, np.zeros(p.size, dtype=bool)
    for one in range(level.max() + 1):
        inside |= level == one
        place[inside] = number
        if inside.sum() >= p.size / BINS and np.unique(patient[inside]).size >= SMALL:
            number, inside = number + 1, np.zeros(p.size, dtype=bool)
    place[inside] = max(0, number - 1)  # what is left over joins the last bin
    return place


def recalibrated(cases: pl.DataFrame, half_b: pl.DataFrame) -> pl.DataFrame:
    """Cases with p mapped by the line fitted on half B's cases of the same task and setting."""
    parts = []
    for (task, setting), part in cases.group_by("task", "setting", maintain_order=True):
        line = fit(half_b.filter((pl.col("task") == task) & (pl.col("setting") == setting)))
        parts.append(part.with_columns(pl.Series("p", line.apply(part["p"].to_numpy()))))
    return pl.concat(parts)


def fit(half_b: pl.DataFrame) -> Recalibration:
    """The line of one task and setting; p is left as it is where half B has no case."""
    if half_b.is_empty():
        return UNCHANGED
    patients = resample(half_b["mrn"].to_numpy(), draws=0, seed=0)
    cases = half_b.with_columns(pl.lit(False).alias("flagged"))
    return recalibration(Resampled(group_of(cases, patients), patients.weights))


def decision_table(flagged: pl.DataFrame, sample: Resample, rules: EvaluationConfig) -> pl.DataFrame:
    """Per task and threshold: net benefit with its interval, beside that of flagging everyone (of nobody it is 0)."""
    thresholds = np.arange(STEP, rules.decision_curve_to + STEP / 2, STEP)
    rows: list[dict[str, object]] = []
    for (task,), cases in flagged.group_by("task", maintain_order=True):
        resampled = Resampled(group_of(cases, sample), sample.weights)
        rate = float(cases["label"].mean())  # type: ignore[arg-type]
        for threshold in thresholds.round(6):
            found = interval(net_benefit(threshold)(resampled), rules.confidence)
            everyone = rate - (1 - rate) * threshold / (1 - threshold)
            values = {"net_benefit": found.value, "ci_low": found.low, "ci_high": found.high, "flag_everyone": everyone}
            rows.append({"task": task, "threshold": threshold, **values, "n": cases.height})
    return rounded(pl.DataFrame(rows, infer_schema_length=None))
