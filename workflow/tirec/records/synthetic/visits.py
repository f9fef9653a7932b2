"""visits.csv: one row per visit, from the story, with what real registration leaves out or gets wrong."""

import numpy as np
import polars as pl

from tirec.records.synthetic.charting import triage_vitals
from tirec.records.synthetic.conditions import ACUITIES, CONDITIONS, SECOND_COMPLAINTS
from tirec.records.synthetic.draws import DAY, HOUR, Floats, chance, correlated, levels, seldom
from tirec.records.synthetic.oddities import mistyped_triage

ACUITY_SHARES = (0.01, 0.22, 0.55, 0.19, 0.03)
TRIAGE_MISSING = {
    "Triage_Temp": 0.04,
    "Triage_HR": 0.02,
    "Triage_RR": 0.03,
    "Triage_SpO2": 0.025,
    "Triage_SBP": 0.03,
    "Triage_DBP": 0.03,
}


def visit_rows(rng: np.random.Generator, story: pl.DataFrame, first: bool) -> pl.DataFrame:
    """Rows of visits.csv; the five times as `<name>_s`, seconds from arrival (null where blank)."""
    frame = story.select(
        "MRN",
        "CSN",
        "arrival_abs_s",
        "admitted",
        Visit_no="visit_no",
        Visits=pl.len().over("MRN"),
        Age=_ages(rng, story),
        Gender="gender",
        Race="race",
        Ethnicity="ethnicity",
        Payor_class="payor",
        ED_dispo="ed_dispo",
        DC_dispo="dc_dispo",
        Hosp_LOS=pl.col("hospital_days").round(2),
        ED_LOS=(pl.col("departure_s") / HOUR).round(2),
        roomed_s="roomed_s",
        decision_s="decision_s",
        departure_s="departure_s",
        arrival_s=pl.lit(0, pl.Int64),
    ).with_columns(*_next_visit(story), *_said_at_the_door(rng, story, first), *_diagnoses(rng, story))
    frame = _blanks(rng, frame, story)
    return _misstamped(rng, frame, first)


def _ages(rng: np.random.Generator, story: pl.DataFrame) -> pl.Series:
    """Whole years at the visit, give or take two; above 90 set to 90."""
    years = story["age"].to_numpy() + (story["arrival_s"] - story["first_s"]).to_numpy() / (365.25 * DAY)
    return pl.Series(np.clip(np.rint(years + rng.uniform(-2, 2, story.height)), 18, 90).astype(np.int64))


def _next_visit(story: pl.DataFrame) -> list[pl.Series]:
    """Hours from this departure to the patient's next arrival, and where that visit went."""
    gap = (pl.col("arrival_s").shift(-1).over("MRN") - pl.col("arrival_s") - pl.col("departure_s")) / HOUR
    found = story.select(
        Hours_to_next_visit=gap.round(2), Dispo_class_next_visit=pl.col("ed_dispo").shift(-1).over("MRN")
    )
    return found.get_columns()


def _said_at_the_door(rng: np.random.Generator, story: pl.DataFrame, first: bool) -> list[pl.Series]:
    """Arrival means, acuity, complaint and triage vitals."""
    n, severity = story.height, story["severity"].to_numpy()
    acuity = np.array(ACUITIES, dtype=object)[levels(-correlated(rng, severity, 0.58), ACUITY_SHARES)]
    means = np.where(correlated(rng, severity, 0.4) > 0.75, "EMS", "Self").astype(object)
    columns = {"Triage_acuity": acuity, "Means_of_arrival": means, "CC": _complaints(rng, story)}
    texts = [pl.Series(name, values, dtype=pl.String) for name, values in columns.items()]
    rare = [pl.Series(chance(rng, share, n)) for share in (0.015, 0.001, 0.004)]
    texts = [text.set(missing, None) for text, missing in zip(texts, rare, strict=True)]
    vitals = mistyped_triage(rng, triage_vitals(rng, story), first)
    numbers = [
        pl.Series(name, np.where(chance(rng, TRIAGE_MISSING[name], n), np.nan, values), nan_to_null=True)
        for name, values in vitals.items()
    ]
    return texts + numbers


def _complaints(rng: np.random.Generator, story: pl.DataFrame) -> np.ndarray:
    """One or two phrases; the commoner complaint of a condition first in its list."""
    n = story.height
    choice, second = rng.random(n) ** 1.5, rng.integers(0, len(SECOND_COMPLAINTS), n)
    two = chance(rng, 0.3, n)
    phrases = np.empty(n, dtype=object)
    for row, condition in enumerate(story["condition"].to_list()):
        known = CONDITIONS[condition].complaints
        main, other = known[int(choice[row] * len(known))], SECOND_COMPLAINTS[second[row]]
        phrases[row] = f"{main},{other}" if two[row] and other != main else main
    return phrases


def _diagnoses(rng: np.random.Generator, story: pl.DataFrame) -> list[pl.Series]:
    """The primary diagnosis and the service that takes over the admitted."""
    n, admitted = story.height, story["admitted"].to_numpy()
    worst = np.where(admitted, chance(rng, 0.6, n), chance(rng, 0.05, n))
    conditions = [CONDITIONS[c] for c in story["condition"].to_list()]
    found = [
        c.diagnoses[-1 if bad else int(u * (len(c.diagnoses) - 1))]
        for c, bad, u in zip(conditions, worst, rng.random(n), strict=True)
    ]
    service = [c.service if a else None for c, a in zip(conditions, admitted, strict=True)]
    columns = {
        "Dx_ICD9": [d.icd9 for d in found],
        "Dx_ICD10": [d.icd10 for d in found],
        "Dx_name": [d.name for d in found],
    }
    return [pl.Series(name, values, dtype=pl.String) for name, values in (columns | {"Admit_service": service}).items()]


def _blanks(rng: np.random.Generator, frame: pl.DataFrame, story: pl.DataFrame) -> pl.DataFrame:
    """Times that nobody wrote down: no decision and often no room for those who left unseen, a few others."""
    n, unseen = story.height, story["unseen"].to_numpy()
    gone = (story["roomed_s"] >= story["departure_s"]).to_numpy()
    no_room = pl.Series((unseen & (gone | chance(rng, 0.6, n))) | chance(rng, 0.004, n))
    no_decision = pl.Series(unseen | chance(rng, 0.004, n))
    return frame.with_columns(
        roomed_s=pl.when(~no_room).then("roomed_s"),
        decision_s=pl.when(~no_decision).then("decision_s"),
    ).with_columns(admit_s=pl.when("admitted").then("decision_s"))


def _misstamped(rng: np.random.Generator, frame: pl.DataFrame, first: bool) -> pl.DataFrame:
    """Back-dated and late stamps at about the rates counted in MC-MED; `first`: at least one of each."""
    n, least = frame.height, int(first)
    changes = {
        "roomed_s": (0.00012, lambda k: -rng.integers(60, 1800, k)),
        "decision_s": (0.0005, lambda k: -rng.integers(60, 7200, k)),
    }
    columns = {
        name: frame[name].to_numpy(writable=True).astype(float)
        for name in ("roomed_s", "decision_s", "admit_s", "departure_s")
    }
    for name, (share, wrong) in changes.items():
        rows = seldom(rng, share, n, least)
        columns[name][rows] = wrong(len(rows))
    late = seldom(rng, 0.0048, n, least)
    columns["decision_s"][late] = columns["departure_s"][late] + rng.integers(60, 5400, len(late))
    same = ~np.isnan(columns["admit_s"])
    columns["admit_s"][same] = columns["decision_s"][same]
    columns["departure_s"][seldom(rng, 0.00003, n, least)] = np.nan
    times = [pl.Series(name, values, nan_to_null=True).cast(pl.Int64) for name, values in columns.items()]
    hours = frame["Hours_to_next_visit"].to_numpy(writable=True).astype(float)
    return frame.with_columns(*times, pl.Series("Hours_to_next_visit", _wrong_hours(rng, hours), nan_to_null=True))


def _wrong_hours(rng: np.random.Generator, hours: Floats) -> Floats:
    """A few next visits overlap this one, and a few are missing although the next row is there."""
    known = np.flatnonzero(~np.isnan(hours))
    hours[known[seldom(rng, 0.001, len(known))]] = -0.5
    hours[known[seldom(rng, 0.002, len(known))]] = np.nan
    return np.round(hours, 2)
