"""Who asks for what, patient by patient: calls of policies beside the tree teacher's contributions."""

from collections.abc import Iterable

import polars as pl

from tirec.agent.environment import RAN
from tirec.agent.trajectories import Trajectory
from tirec.cohort.lottery import tickets
from tirec.evidence.menu import DETAILS, MENU

TEXT_ONLY = tuple(name for name in DETAILS if name != "vital_sign_values")
"""Functions without columns, which a tree cannot see."""
TREE_COLUMNS = tuple(name for name in MENU if name not in TEXT_ONLY)


def choose(cases: pl.DataFrame, patients: int, seed: int) -> pl.DataFrame:
    """instance_id, task: one case each of at most `patients` patients per task, drawn by the lottery.

    cases: instance_id, mrn, task.
    """
    drawn = cases.with_columns(tickets(cases["instance_id"], seed, "call map")).sort("ticket", "instance_id")
    once = drawn.unique(["task", "mrn"], keep="first", maintain_order=True)
    return once.group_by("task", maintain_order=True).head(patients).select("instance_id", "task").sort("instance_id")


def called(trajectories: Iterable[Trajectory], chosen: pl.DataFrame) -> pl.DataFrame:
    """instance_id, function, value: 1 where a function ran on a chosen case, 0 where it did not; 18 rows a case."""
    wanted = set(chosen["instance_id"])
    rows = []
    for trajectory in trajectories:
        if trajectory.instance_id in wanted:
            ran = {call.function for call in trajectory.episode.calls if call.outcome in RAN}
            rows += [(trajectory.instance_id, name, float(name in ran)) for name in MENU]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def contributed(contributions: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
    """instance_id, function, value: each function's share of a case's summed absolute contributions; 13 rows a case.

    What a tree takes from the setting (`context`) belongs to no function and is left out of the sum.
    """
    own = contributions.join(chosen, on="instance_id", how="semi").filter(pl.col("function").is_in(TREE_COLUMNS))
    whole = pl.col("contribution").sum().over("instance_id")
    share = pl.when(whole > 0).then(pl.col("contribution") / whole).otherwise(0.0)
    return own.select("instance_id", "function", share.alias("value"))


_SCHEMA = {"instance_id": pl.Int64, "function": pl.String, "value": pl.Float64}


def call_map(maps: dict[str, pl.DataFrame], chosen: pl.DataFrame) -> pl.DataFrame:
    """model, task, patient, function, value: patients numbered per task by the first model's calls, without ids.

    Patients whose first model asked alike stand together, the functions it asks most often first.
    """
    first = next(iter(maps.values())).join(chosen, on="instance_id")
    numbered = pl.concat([_numbered(part) for part in first.partition_by("task", maintain_order=True)])
    place = {name: at for at, name in enumerate(MENU)}
    parts = [frame.join(numbered, on="instance_id").with_columns(model=pl.lit(model)) for model, frame in maps.items()]
    order = pl.col("function").replace_strict(place, return_dtype=pl.Int64)
    whole = pl.concat(parts).sort("model", "task", "patient", order, maintain_order=True)
    return whole.select("model", "task", "patient", "function", "value")


def _numbered(calls: pl.DataFrame) -> pl.DataFrame:
    """instance_id, task, patient (from 0): sorted by the calls, the most frequent function first."""
    common = calls.group_by("function").agg(pl.col("value").sum()).sort("value", "function", descending=[True, False])
    wide = calls.pivot("function", index=["instance_id", "task"], values="value")
    names = common["function"].to_list()
    ranked = wide.sort(*names, "instance_id", descending=[*([True] * len(names)), False])
    return ranked.with_row_index("patient").select("instance_id", "task", pl.col("patient").cast(pl.Int64))
