"""Finished dialogues as tables: one row per case with its diagnosis and bill, one per hypothesis that was stated."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from tirec.lacdm.dialogue import Dialogue
from tirec.lacdm.spoken import UNKNOWN

HYPOTHESES = {
    "case_id": pl.Int64(),
    "patient": pl.Int64(),
    "condition": pl.String(),
    "turn": pl.Int64(),
    "known": pl.Int64(),
    "hypothesis": pl.String(),
    "confidence": pl.Float64(),
    "last": pl.Boolean(),
}
"""A stated hypothesis: the number of results known then, null for `unknown`, confidence 0-1 or null."""


def prediction_row(one: Dialogue) -> dict[str, Any]:
    """A finished dialogue as a row of predictions; agents give no probabilities."""
    case, bill = one.case, one.environment
    told = {"case_id": case.case_id, "hadm_id": case.hadm_id, "patient": case.patient, "split": case.split}
    return told | {
        "condition": case.condition,
        "predicted": one.predicted,
        "tests": list(bill.provided),
        "requested": list(bill.requested),
        "cost": bill.cost,
        "finish": one.finish,
    }


def hypotheses(dialogues: Iterable[Dialogue]) -> pl.DataFrame:
    """Every hypothesis that was stated, in order."""
    return pl.DataFrame([row for one in dialogues for row in hypothesis_rows(one)], schema=HYPOTHESES, orient="row")


def hypothesis_rows(one: Dialogue) -> list[tuple[Any, ...]]:
    """The hypotheses of one dialogue; the reused one of a turn that followed an error is not stated again."""
    rows = []
    for turn, stated in enumerate(one.stated):
        found = stated.hypothesis
        named = None if found.condition == UNKNOWN else found.condition
        confidence = None if found.confidence is None else found.confidence / 10
        last = turn == len(one.stated) - 1
        rows.append(
            (one.case.case_id, one.case.patient, one.case.condition, turn, stated.known, named, confidence, last)
        )
    return rows
