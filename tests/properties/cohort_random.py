"""Random visits that sit on the edges of the cohort rules far more often than real ones do."""

import numpy as np
import polars as pl

from tirec.records.schema import SPECS, Tables

HOUR, MINUTE = 3600, 60
DISPOSITIONS = ["Discharge", "Discharge", "Discharge", "Inpatient", "Observation", "ICU", None]
FINAL = [
    *["Home/Work (includes foster care)"] * 12,
    None,
    "Left Against Medical Advice",
    "ED Only - Left Without Being Seen",
    "ED Only - Erroneous Registration",
    "Expired",
    "Expired to be Readmitted as Donor",
]
USUAL = {"HR": (60, 109), "SpO2": (91, 100), "SBP": (100, 150), "DBP": (60, 90), "MAP": (70, 100), "RR": (12, 20)}
EDGES = {
    "HR": [0, 19, 20, 110, 110.5, 111, 130, 250, 251],
    "SpO2": [0, 49, 50, 89, 89.5, 90, 100, 101],
    "SBP": [0, 85, 90, 300],
    "DBP": [0, 30, 54, 55, 56],
    "MAP": [0, 19, 20, 64, 64.5, 65, 200, 201],
    "RR": [0, 60],
}


def _either(rng, usual, odd, share):
    return odd[rng.integers(len(odd))] if rng.random() < share else usual()


def _value(rng, measure, share):
    return float(_either(rng, lambda: rng.integers(*USUAL[measure], endpoint=True), EDGES[measure], share))


def random_visit(rng: np.random.Generator, csn: int) -> dict:
    """One visit; most stamps are ordered, some stand exactly on a cutoff, some are missing or impossible."""
    departure = _either(rng, lambda: int(rng.integers(HOUR, 8 * HOUR)), [None, 0, -5, HOUR, 4 * HOUR, 25 * MINUTE], 0.1)
    stay = departure or 5 * HOUR
    decided = _either(rng, lambda: int(rng.integers(HOUR, stay + 2 * HOUR)), [None, -1, 0, 2 * HOUR, stay], 0.25)
    hours = _either(rng, lambda: float(rng.uniform(1, 500)), [72.0, 168.0, 336.0, 0.0, -2.0, 72.001], 0.3)
    triage = {
        f"triage_{name.lower()}": _either(rng, lambda m=name: _value(rng, m, 0.03), [None], 0.02)
        for name in ("HR", "SpO2", "SBP", "DBP")
    }
    return {
        "csn": csn,
        "mrn": int(rng.integers(csn // 2, csn + 1)),
        "row": csn,
        "ed_dispo": DISPOSITIONS[rng.integers(len(DISPOSITIONS))],
        "dc_dispo": FINAL[rng.integers(len(FINAL))],
        "arrival_abs_s": int(rng.integers(0, 10**7)),
        "roomed_s": _either(rng, lambda: int(rng.integers(0, 20 * MINUTE)), [None, -60, 0], 0.2),
        "dispo_s": decided,
        "admit_s": decided if rng.random() < 0.3 else None,
        "departure_s": departure,
        "hours_to_next_visit": hours if rng.random() < 0.5 else None,
        **triage,
    }


def random_rows(rng: np.random.Generator, visit: dict) -> list[dict]:
    """Its numerics: monitor minutes with gaps, chart values, edge values; some visits are never monitored."""
    leave = visit["departure_s"] if visit["departure_s"] and visit["departure_s"] > 0 else 4 * HOUR
    count = int(rng.integers(0, 60)) if rng.random() < 0.9 else 0
    odd = float(rng.choice([0.0, 0.02, 0.1]))
    rows = []
    for _ in range(count):
        source = "Monitor" if rng.random() < 0.8 else "Chart"
        at = int(rng.integers(0, leave // MINUTE + 1)) * MINUTE + int(rng.choice([0, 0, 0, 1, 59]))
        for measure in rng.choice(list(USUAL), size=rng.integers(1, 5), replace=True):
            rows.append((source, str(measure), _value(rng, str(measure), odd), min(at, leave)))
    names = ("source", "measure", "value", "time_s")
    return [{"csn": visit["csn"], "row": k, **dict(zip(names, row, strict=True))} for k, row in enumerate(rows, 1)]


def random_cohort(seed: int, visits: int) -> tuple[list[dict], dict[int, list[dict]], Tables, pl.DataFrame]:
    """Visits, their rows by csn, the same as tables, and splits that leave one visit in twenty out."""
    rng = np.random.default_rng(seed)
    made = [random_visit(rng, csn) for csn in range(100, 100 + visits)]
    rows = {visit["csn"]: random_rows(rng, visit) for visit in made}
    for visit in made:
        visit["in_split"] = bool(rng.random() < 0.95)
    return made, rows, as_tables(made, rows), as_splits(made)


def as_tables(visits: list[dict], rows: dict[int, list[dict]]) -> Tables:
    """The visits and numerics as record tables."""
    bare = [{name: value for name, value in visit.items() if name != "in_split"} for visit in visits]
    numerics = [row for visit in visits for row in rows[visit["csn"]]]
    return Tables.of(
        {
            "visits": pl.DataFrame(bare, schema=SPECS["visits"].schema).sort("csn"),
            "numerics": pl.DataFrame(numerics, schema=SPECS["numerics"].schema).sort("csn", "time_s", "row"),
        }
    )


def as_splits(visits: list[dict]) -> pl.DataFrame:
    """Splits of the visits that are in one: two in three train."""
    rows = [(v["csn"], v["mrn"], ("train", "train", "test")[v["mrn"] % 3], None) for v in visits if v["in_split"]]
    schema = {"csn": pl.Int64, "mrn": pl.Int64, "split": pl.String, "half": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("csn")
