"""Does the future leak: everything after the cutoff is drawn again, and no byte of what is given may change."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from tirec.analysis.another_future import LATEST_S, Redrawing
from tirec.cohort.lottery import tickets
from tirec.config.evidence import EvidenceConfig
from tirec.config.leak_suite import LeakSuiteConfig
from tirec.errors import DataError
from tirec.evidence.features import columns
from tirec.evidence.menu import function_of
from tirec.evidence.observations import texts
from tirec.evidence.window import CUTOFF_COLUMNS, gather
from tirec.records.schema import Tables

LATER_DAYS = 2_000


class LeakError(DataError):
    """Something that lies after the cutoff reached a tree or an agent."""


def sample_cases(cutoffs: pl.DataFrame, visits: pl.DataFrame, rules: LeakSuiteConfig) -> pl.DataFrame:
    """A seeded sample of cutoffs, one per patient, with the arrival of their visits, by evidence_id."""
    keyed = cutoffs.select(CUTOFF_COLUMNS).unique().sort("evidence_id")
    drawn = keyed.with_columns(tickets(keyed["evidence_id"], rules.seed, "leak suite")).sort("ticket", "evidence_id")
    chosen = drawn.unique("mrn", keep="first", maintain_order=True).head(rules.cases).drop("ticket")
    return chosen.join(visits.select("csn", "arrival_abs_s", "arrival_day"), on="csn").sort("evidence_id")


def compare_futures(
    tables: Tables, cases: pl.DataFrame, complaints: tuple[str, ...], config: EvidenceConfig, seed: int
) -> pl.DataFrame:
    """face (columns or texts by style), function, cells, differing, later: one row per face and function.

    `cells` are compared byte by byte between the records and another future; `later` counts those that differ when
    cutoff and arrival day are moved behind both futures, so that a redrawing that does nothing shows.
    """
    mine = tables.for_visits(cases["csn"])
    other = Tables.of(Redrawing(cases, config.history_margin_days, seed).frames(mine.collect()))
    late = cases.with_columns(cutoff_s=pl.col("cutoff_s") + LATEST_S)
    now = [_faces(world, cases, complaints, config) for world in (mine, other)]
    then = [_faces(_in_later_years(world, cases), late, complaints, config) for world in (mine, other)]
    differing, later = _differing(*now), _differing(*then)
    return differing.join(later.select("face", "function", later="differing"), on=["face", "function"], how="left")


def _in_later_years(tables: Tables, cases: pl.DataFrame) -> Tables:
    """The same records, had the cases arrived years later."""
    visits = tables.visits.collect()
    days = pl.when(pl.col("csn").is_in(cases["csn"].implode())).then(LATER_DAYS).otherwise(0)
    moved = visits.with_columns(
        (pl.col("arrival_abs_s") + days * 86_400).cast(visits.schema["arrival_abs_s"]),
        (pl.col("arrival_day") + days).cast(visits.schema["arrival_day"]),
    )
    return replace(tables, visits=moved.lazy())


def _faces(
    tables: Tables, cases: pl.DataFrame, complaints: tuple[str, ...], config: EvidenceConfig
) -> dict[str, pl.DataFrame]:
    """Everything that a tree or an agent is given: columns, and the texts of both styles with rows and lengths."""
    evidence = gather(tables, cases, config, complaints)
    faces = {"columns": columns(evidence)}
    for style in ("full", "headline"):
        observations = config.observations.model_copy(update={"style": style})
        styled = gather(tables, cases, config.model_copy(update={"observations": observations}), complaints)
        faces[f"texts, {style}"] = texts(styled)
    return faces


def _differing(one: Mapping[str, pl.DataFrame], two: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    rows = [
        (face, _owner(name), len(frame), _unlike(frame[name], two[face][name]))
        for face, frame in one.items()
        for name in frame.columns
        if name != "evidence_id"
    ]
    cells = pl.DataFrame(rows, schema=["face", "function", "cells", "differing"], orient="row")
    return cells.group_by("face", "function", maintain_order=True).agg(pl.col("cells", "differing").sum())


def _owner(column: str) -> str:
    """The function of a column of either face: `heart_rate__last`, `heart_rate`, `rows__heart_rate__visits`."""
    return column.split("__")[1] if column.startswith(("rows__", "tokens__")) else function_of(column)


def _unlike(one: pl.Series, two: pl.Series) -> int:
    """Cells whose bytes differ; every NaN is the same."""
    if one.dtype == pl.Float32:
        return int((one.to_numpy().view(np.uint32) != two.to_numpy().view(np.uint32)).sum())
    return int(one.ne_missing(two).sum())


def require_no_leak(compared: pl.DataFrame) -> None:
    """Raises LeakError where a cell changed with the future."""
    found = compared.filter(pl.col("differing") > 0)
    if len(found):
        names = ", ".join(dict.fromkeys(found["function"]))
        raise LeakError(f"{found['differing'].sum()} cells change with what comes after the cutoff: {names}")
