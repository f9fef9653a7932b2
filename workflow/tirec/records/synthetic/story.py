"""What happens to each visit before anything is written down: latent causes, times, vitals' courses, outcomes.

A chunk of patients is followed in rounds: first visits, then the next visits of those who come back, and so on, so
that a return has the causes that the visit before it left behind.
"""

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.conditions import CONDITIONS
from tirec.records.synthetic.courses import THREATENED, steady_course, temperature_course, threatened_course
from tirec.records.synthetic.draws import DAY, MINUTE, Floats, Ints, chance, correlated, levels, lognormal, pick_tilted
from tirec.records.synthetic.outcomes import admission_odds, next_arrival, where_to
from tirec.records.synthetic.patients import STUDY_DAYS
from tirec.records.synthetic.studies import STUDIES

MAX_ROUNDS = 40
"""Most visits of one patient."""
IMAGED_SHARE = 0.72
BLOODS_SHARE = 0.78


def tell_story(rng: np.random.Generator, patients: pl.DataFrame, config: SyntheticConfig) -> pl.DataFrame:
    """All visits of these patients within the study, sorted by patient and arrival; times in seconds."""
    arrival = patients["first_s"].to_numpy().astype(float)
    coming, rounds = patients, list[pl.DataFrame]()
    while coming.height and len(rounds) < MAX_ROUNDS:
        visits = _round(rng, coming, arrival, config).with_columns(visit_no=pl.lit(len(rounds) + 1, pl.Int64))
        rounds.append(visits)
        back = visits["next_s"].to_numpy() < STUDY_DAYS * DAY
        coming, arrival = coming.filter(pl.Series(back)), visits["next_s"].to_numpy()[back]
    return pl.concat(rounds).sort("patient", "visit_no")


def _round(rng: np.random.Generator, people: pl.DataFrame, arrival: Floats, config: SyntheticConfig) -> pl.DataFrame:
    """One visit of each of these patients, arriving at these seconds of the study."""
    n = people.height
    severity = correlated(rng, people["frailty"].to_numpy(), 0.3)
    causes = _causes(rng, severity, config)
    times = _times(rng, severity, causes)
    unseen = chance(rng, config.unseen_share, n)
    odds = admission_odds(people["burden"].to_numpy(), severity, causes, config)
    admitted = ~unseen & chance(rng, odds, n)
    ends = _ends(rng, times, admitted, unseen)
    aligned = ends["monitor_on_s"] + 15.0 * MINUTE
    courses: dict[str, np.ndarray] = {}
    for vital in THREATENED:
        courses |= threatened_course(rng, vital, aligned, config)
    courses |= temperature_course(rng, ends["departure_s"].astype(float), config) | steady_course(rng, n)
    columns = (
        {"severity": severity, "unseen": unseen, "admitted": admitted, "p_admission": odds}
        | causes
        | times
        | ends
        | courses
    )
    visits = people.with_columns(arrival_s=pl.Series(np.rint(arrival).astype(np.int64))).with_columns(
        *(pl.Series(name, values) for name, values in columns.items()),
        monitored=pl.Series(chance(rng, config.monitored_share, n) & ~unseen),
    )
    visits = visits.with_columns(*where_to(rng, visits))
    return visits.with_columns(*next_arrival(rng, visits, config))


def _causes(rng: np.random.Generator, severity: Floats, config: SyntheticConfig) -> dict[str, np.ndarray]:
    """Condition and the planted levels; a level that nobody looked for (no blood, no imaging) is not there."""
    n = len(severity)
    condition = pick_tilted(rng, [c.weight for c in CONDITIONS], [c.tilt for c in CONDITIONS], severity)
    scores = [correlated(rng, severity, config.severity_loading) for _ in range(3)]
    treatment, derangement, finding = (levels(score, config.level_shares) for score in scores)
    imaged, bloods = chance(rng, IMAGED_SHARE, n), chance(rng, BLOODS_SHARE, n)
    return {
        "condition": condition,
        "treatment": treatment,
        "bloods": bloods,
        "derangement": np.where(bloods, derangement, -1),
        "study": np.where(imaged, _study(rng, condition), -1),
        "finding": np.where(imaged, finding, -1),
    }


def _study(rng: np.random.Generator, condition: Ints) -> Ints:
    """The first imaging study that fits each condition's region."""
    regions = np.array([c.region for c in CONDITIONS])[condition]
    fits = np.array([study.region for study in STUDIES])[None, :] == regions[:, None]
    weight = np.where(fits, np.log([study.share for study in STUDIES])[None, :], -np.inf)
    return (weight + rng.gumbel(size=weight.shape)).argmax(axis=1)


def _times(rng: np.random.Generator, severity: Floats, causes: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """When each visit is roomed, monitored, bled and imaged, in whole seconds from arrival."""
    n = len(severity)
    roomed = np.clip(lognormal(rng, 20 * np.exp(-0.2 * severity), 0.9, n), 0.5, 300)
    late = chance(rng, 0.1, n) * rng.uniform(8, 30, n)
    bled, imaged = np.clip(lognormal(rng, 15, 0.45, n), 3, 120), np.clip(lognormal(rng, 20, 0.5, n), 4, 200)
    wait = np.array([study.minutes for study in STUDIES])[causes["study"]] * np.exp(0.25 * rng.standard_normal(n))
    minutes = {"roomed": roomed, "monitor_on": roomed + rng.uniform(1, 6, n) + late, "bled": bled, "imaged": imaged}
    minutes["reported"] = np.where(causes["study"] >= 0, imaged + wait, 0.0)
    return {f"{name}_s": np.rint(value * MINUTE).astype(np.int64) for name, value in minutes.items()}


def _ends(
    rng: np.random.Generator, times: dict[str, np.ndarray], admitted: np.ndarray, unseen: np.ndarray
) -> dict[str, np.ndarray]:
    """Decision and departure; the decision waits for blood and imaging results."""
    n = len(admitted)
    known = np.maximum(times["reported_s"], times["bled_s"] + 40 * MINUTE) + 10 * MINUTE
    thought = times["roomed_s"] + lognormal(rng, 215, 0.5, n) * MINUTE
    decision = np.maximum(thought, known)
    leaves = np.where(admitted, lognormal(rng, 100, 0.6, n), lognormal(rng, 28, 0.5, n)) * MINUTE
    departure = np.where(unseen, lognormal(rng, 110, 0.5, n) * MINUTE, decision + leaves)
    monitor_on = np.minimum(times["monitor_on_s"], departure)
    monitor_off = np.minimum(departure, monitor_on + lognormal(rng, 210, 0.35, n) * MINUTE)
    return {
        "monitor_on_s": np.rint(monitor_on).astype(np.int64),
        "monitor_off_s": np.rint(monitor_off).astype(np.int64),
        "decision_s": np.rint(decision).astype(np.int64),
        "departure_s": np.rint(departure).astype(np.int64) + MINUTE,
    }
