"""Reading apart from choosing: every model is given the same random groups of the same patients."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tirec.analysis.arms import RANDOM, Curves, Ground
from tirec.cohort.lottery import tickets
from tirec.config.evaluation import EvaluationConfig
from tirec.config.studies import StudiesConfig
from tirec.evaluation.intervals import columns, interval, rounded
from tirec.evidence.menu import REWARDABLE
from tirec.records.stored import read_stored

DRAWN = ("instance_id", "task", "setting", "draw", "groups")
"""Columns of the drawn cases."""


def draw_groups(cases: pl.DataFrame, config: StudiesConfig) -> pl.DataFrame:
    """instance_id, task, setting, draw, groups: the ten groups of each sampled case in the order of each draw.

    `cases` are the listed test cases: instance_id, mrn, task, setting. An order belongs to the patient: it depends on
    MRN, draw and seed alone. The first k groups are those at budget k, so that budgets are nested.
    """
    chosen = sample(cases, config.cases, config.seed)
    orders = pl.concat([_order(chosen, draw, config.seed) for draw in range(config.draws)])
    return orders.sort("instance_id", "draw").select(DRAWN)


def read_drawn(path: Path) -> pl.DataFrame:
    """The drawn cases and orders; DataError where the file is missing, damaged or of another form."""
    return read_stored(path, DRAWN)


def sample(cases: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """At most `n` cases per task, drawn by the lottery: a larger `n` keeps every case of a smaller one."""
    ticket = tickets(cases["instance_id"], seed, "studies")
    ranked = cases.with_columns(ticket).sort("ticket", "instance_id").group_by("task", maintain_order=True).head(n)
    return ranked.drop("ticket").sort("instance_id")


def _order(cases: pl.DataFrame, draw: int, seed: int) -> pl.DataFrame:
    """The cases with one order of the groups: each patient's own tickets, lowest first."""
    drawn = cases.with_columns(
        tickets(cases["mrn"], seed, f"groups {draw} {name}").alias(name) for name in REWARDABLE
    ).unpivot(index=["instance_id", "task", "setting"], on=REWARDABLE, variable_name="group", value_name="ticket")
    ordered = drawn.sort("instance_id", "ticket", "group").group_by("instance_id", "task", "setting")
    return ordered.agg(groups=pl.col("group")).with_columns(draw=pl.lit(draw, pl.Int64))


def reading_table(found: Mapping[str, Curves], ground: Ground, rules: EvaluationConfig) -> pl.DataFrame:
    """policy, task, k, auroc with interval, its difference to the reference, brier, unanswered, n, n_pos."""
    reference = found.get(rules.reference, {})
    rows = []
    for policy, curve in found.items():
        for (_, k), measured in sorted(curve.items()):
            for task, (n, n_pos) in ground.counts().items():
                own = measured[task, "auroc"]
                row = {"policy": policy, "task": task, "k": k, **columns(interval(own, rules.confidence), "auroc")}
                if policy != rules.reference and (RANDOM, k) in reference:
                    gap = own - reference[RANDOM, k][task, "auroc"]
                    row |= columns(interval(gap, rules.confidence), "diff")
                row |= {name: float(measured[task, name][0]) for name in ("brier", "unanswered")}
                rows.append(row | {"n": n, "n_pos": n_pos})
    return rounded(pl.DataFrame(rows, schema=_TABLE))


_TABLE = {
    **{"policy": pl.String, "task": pl.String, "k": pl.Int64},
    **{name: pl.Float64 for name in ("auroc", "auroc_low", "auroc_high", "diff", "diff_low", "diff_high")},
    **{"brier": pl.Float64, "unanswered": pl.Float64, "n": pl.Int64, "n_pos": pl.Int64},
}
