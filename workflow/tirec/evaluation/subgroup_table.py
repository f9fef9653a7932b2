"""A model's quality by who the patients are: values, and gaps to everyone, under the same patient resamples."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.intervals import Resample, interval, rounded
from tirec.evaluation.metrics import metric
from tirec.evaluation.scores import group_of, undefined
from tirec.evaluation.subgroups import ATTRIBUTES, WHOLE, Hidden, hidden, levels
from tirec.evaluation.weighted import Resampled

SHOWN = ("auroc", "calibration_in_the_large", "smooth_ece", "false_negative_rate", "prevalence")
FEW_PATIENTS = "suppressed (few patients)"
FEW_OF_A_CLASS = "suppressed (few patients with, or without, the outcome)"
COUNTS_HIDDEN = "counts suppressed (they would give a small group away)"
Draws = dict[str, np.ndarray]
"""Per metric, (1 + draws,)."""
SCHEMA = {
    **dict.fromkeys(("task", "attribute", "level", "metric"), pl.String),
    **dict.fromkeys(("value", "ci_low", "ci_high", "gap", "gap_low", "gap_high"), pl.Float64),
    **dict.fromkeys(("n", "n_pos", "patients"), pl.Int64),
    "note": pl.String,
}


def subgroup_table(
    flagged: pl.DataFrame, described: pl.DataFrame, sample: Resample, rules: EvaluationConfig
) -> pl.DataFrame:
    """Per task (its settings pooled), attribute and level: each metric, its gap to everyone, both with intervals.

    flagged: test outcomes with a p everywhere and `flagged`; described: instance_id and the attributes.
    """
    joined = flagged.join(described, on="instance_id", how="left", maintain_order="left")
    rows: list[dict[str, Any]] = []
    for (task,), cases in joined.group_by("task", maintain_order=True):
        whole = _measured(cases, sample)
        place = {"task": task, "attribute": WHOLE, "level": WHOLE}
        rows += _rows(place, cases, whole, whole, rules.confidence)
        for attribute in ATTRIBUTES:
            rows += _attribute(str(task), attribute, cases, whole, sample, rules)
    return rounded(pl.DataFrame(rows, schema=SCHEMA))


def _measured(cases: pl.DataFrame, sample: Resample) -> Draws:
    resampled = Resampled(group_of(cases, sample), sample.weights)
    return {name: metric(name)(resampled) for name in SHOWN}


def _attribute(
    task: str, attribute: str, cases: pl.DataFrame, whole: Draws, sample: Resample, rules: EvaluationConfig
) -> Iterator[dict[str, Any]]:
    by_size, by_class = suppressed(cases, attribute)
    for level in levels(attribute, cases[attribute].unique(), rules.age_bands):
        place = {"task": task, "attribute": attribute, "level": level}
        part = cases.filter(pl.col(attribute) == level)
        if level in by_size.small:
            yield from ({**place, "metric": name, "note": FEW_PATIENTS} for name in SHOWN)
        elif level in by_class.small:
            seen = {} if level in by_size.counts else _size(part)
            yield from ({**place, "metric": name, **seen, "note": FEW_OF_A_CLASS} for name in SHOWN)
        else:
            rows = _rows(place, part, _measured(part, sample), whole, rules.confidence)
            uncounted = level in by_size.counts | by_class.counts
            yield from _without_counts(rows, level in by_size.counts) if uncounted else rows


def suppressed(cases: pl.DataFrame, attribute: str) -> tuple[Hidden, Hidden]:
    """What must be hidden by the number of patients, and by the number with, or without, the outcome."""
    patients = pl.col("mrn").unique().alias("patients")
    level = pl.col(attribute).alias("level")
    of_class = [hidden(cases.filter(pl.col("label") == outcome).group_by(level).agg(patients)) for outcome in (0, 1)]
    small = of_class[0].small | of_class[1].small
    counts = (of_class[0].counts | of_class[1].counts) - small
    return hidden(cases.group_by(level).agg(patients)), Hidden(small, counts)


def _size(cases: pl.DataFrame) -> dict[str, Any]:
    return {"n": cases.height, "patients": cases["mrn"].n_unique()}


def _without_counts(rows: Iterable[dict[str, Any]], size_too: bool) -> Iterator[dict[str, Any]]:
    """Rows that do not tell how many had the outcome, and, where asked, how many there were.

    Values keep three digits, so that no fraction with the hidden count as its denominator can be told from them.
    """
    for row in rows:
        kept = {name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()}
        kept |= {"n_pos": None} | ({"n": None, "patients": None} if size_too else {})
        if row["metric"] == "prevalence":
            kept |= dict.fromkeys(("value", "ci_low", "ci_high", "gap", "gap_low", "gap_high"))
        yield kept | {"note": row["note"] or COUNTS_HIDDEN}


def _rows(
    place: dict[str, Any],
    cases: pl.DataFrame,
    draws: Draws,
    whole: Draws,
    confidence: float,
) -> Iterator[dict[str, Any]]:
    size, n_pos = _size(cases), int(cases["label"].sum())
    for name in SHOWN:
        own, gap = interval(draws[name], confidence), interval(draws[name] - whole[name], confidence)
        row = {**place, "metric": name, "value": own.value, "ci_low": own.low, "ci_high": own.high}
        if place["level"] != WHOLE:
            row |= {"gap": gap.value, "gap_low": gap.low, "gap_high": gap.high}
        note = None if own.value is not None else undefined((place["task"], place["level"]), name, size["n"], n_pos)
        yield row | size | {"n_pos": n_pos, "note": note}
