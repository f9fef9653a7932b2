"""Worked timelines: a visit in words, and what becomes of it in every setting of a task."""

import polars as pl

from tirec.cohort.instances import Cohort, build_instances
from tirec.cohort.population import INCLUDED
from tirec.config.cohort import SETTINGS, CohortConfig
from tirec.records.schema import SPECS, Tables

MINUTE, HOUR = 60, 3600

STAY = {
    "csn": 1,
    "mrn": 1,
    "row": 1,
    "triage_hr": 80.0,
    "triage_spo2": 98.0,
    "triage_sbp": 120.0,
    "triage_dbp": 70.0,
    "ed_dispo": "Discharge",
    "dc_dispo": "Home/Work (includes foster care)",
    "arrival_abs_s": 0,
    "roomed_s": 0,
    "dispo_s": 5 * HOUR,
    "departure_s": 6 * HOUR,
}
"""Six hours, roomed at once, normal triage, decided after five hours, discharged, never seen again."""


def seconds(text: str) -> int:
    """`15m` or `15m30s` as seconds."""
    minutes, _, rest = text.partition("m")
    return int(minutes) * MINUTE + int(rest.rstrip("s") or 0)


def numerics(*events: str, csn: int = 1) -> list[dict]:
    """Rows of `numerics` from lines such as `15m Monitor HR 88`."""
    parts = [event.split() for event in events]
    return [
        {"csn": csn, "row": row, "source": source, "measure": measure, "value": float(value), "time_s": seconds(at)}
        for row, (at, source, measure, value) in enumerate(parts, 1)
    ]


def tables(visits: list[dict], rows: list[dict] = ()) -> Tables:
    """Tables of visits that differ from STAY where they say so."""
    full = [{**STAY, "row": place, **visit} for place, visit in enumerate(visits, 1)]
    return Tables.of(
        {
            "visits": pl.DataFrame(full, schema=SPECS["visits"].schema).sort("csn"),
            "numerics": pl.DataFrame(list(rows), schema=SPECS["numerics"].schema).sort("csn", "time_s", "row"),
        }
    )


def all_in(visits: pl.DataFrame, split: str = "train") -> pl.DataFrame:
    """Splits with every visit in one split."""
    half = pl.lit(None, pl.String).alias("half")
    return visits.sort("csn").select("csn", "mrn", pl.lit(split).alias("split"), half)


def cohort(task: str, visits: list[dict], rows: list[dict] = (), config: CohortConfig | None = None) -> Cohort:
    """The cohort of visits that are all in the training split."""
    records = tables(visits, rows)
    return build_instances(task, records, all_in(records.visits.collect()), config or CohortConfig())


def fates(task: str, visit: dict, events: tuple[str, ...] = (), **choices: object) -> list[int | str]:
    """One visit's label in each setting of a task, or the reason why it is out; `choices` set the task's config."""
    config = CohortConfig.model_validate({task: choices} if choices else {})
    built = cohort(task, [visit], numerics(*events), config)
    reasons = dict(built.exclusions.select("setting", "reason").iter_rows())
    labels = dict(built.instances.select("setting", "label").iter_rows())
    return [labels[name] if reasons[name] == INCLUDED else reasons[name] for name in SETTINGS[task]]
