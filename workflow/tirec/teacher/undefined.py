"""The teacher of a task whose training rows hold one class only: it knows nothing and says so."""

import polars as pl

from tirec.config.teacher import TeacherConfig
from tirec.evidence.menu import function_of
from tirec.teacher.gbm import Teacher, fit
from tirec.teacher.rows import OneClassError, Rows


def fit_or_undefined(rows: Rows, rules: TeacherConfig) -> Teacher:
    """The fitted teacher, or the one that knows the prevalence only where training rows are of one class."""
    try:
        return fit(rows, rules)
    except OneClassError as fault:
        return undefined_teacher(rows, str(fault))


def undefined_teacher(rows: Rows, why: str) -> Teacher:
    """The training prevalence as everyone's risk, no gain and no contributions, so that the reference set is empty.

    Raises OneClassError where there is no training row at all: then there is not even a prevalence.
    """
    train = rows.of_split("train")
    if not len(train.keys):
        raise OneClassError(why)
    prevalence = float(train.label.mean())
    functions = [function_of(name) for name in rows.features]
    return Teacher(
        model=f"undefined: {why}\n",
        risk=rows.keys.select("instance_id", p=pl.lit(prevalence)),
        importance=pl.DataFrame({"feature": list(rows.features), "function": functions}).with_columns(gain=0.0),
        contributions=pl.DataFrame(schema={"instance_id": pl.Int64, "function": pl.String, "contribution": pl.Float64}),
    )
