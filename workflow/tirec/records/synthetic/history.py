"""pmh.csv and meds.csv: what was known of a patient before, and what each visit adds."""

import numpy as np
import polars as pl

from tirec.records.synthetic.chronic import CHRONIC, HOME_MEDICATIONS, PRESCRIBED, HomeMedication
from tirec.records.synthetic.conditions import CONDITIONS
from tirec.records.synthetic.draws import Ints, chance, pick

DIAGNOSES_MEAN = (0.8, 5.0, 12.0)
MEDICATIONS_MEAN = (0.5, 3.5, 8.0)
"""Mean number of prior diagnoses and home medications at chronic burden 0, 1, 2."""


def diagnosis_rows(rng: np.random.Generator, people: pl.DataFrame, story: pl.DataFrame) -> pl.DataFrame:
    """pmh.csv with `day` (days since 1970, null where blank); `people` has MRN, burden and first_day."""
    person, which = _chosen(rng, people["burden"].to_numpy(), DIAGNOSES_MEAN, [c.weight for c in CHRONIC])
    day = people["first_day"].to_numpy()[person] - rng.integers(20, 3500, len(person))
    older = chance(rng, 0.024, people.height)[person]
    coded = [
        np.array(values, dtype=object)[which] for values in zip(*((c.icd10, c.icd9) for c in CHRONIC), strict=True)
    ]
    prior = pl.DataFrame(
        {
            "MRN": people["MRN"].to_numpy()[person],
            "day": day,
            "CodeType": np.where(older, "Dx9", "Dx10").astype(object),
            "Code": np.where(older, coded[1], coded[0]).astype(object),
            "Desc10": np.array([c.description for c in CHRONIC], dtype=object)[which],
            "CCS": np.array([c.ccs for c in CHRONIC])[which],
            "DescCCS": np.array([c.group for c in CHRONIC], dtype=object)[which],
        },
        schema_overrides=dict.fromkeys(("CodeType", "Code", "Desc10", "DescCCS"), pl.String),
    )
    blank = pl.Series(chance(rng, 0.004, prior.height))
    return pl.concat([prior.with_columns(day=pl.when(~blank).then("day")), _of_visits(rng, story)])


def _chosen(rng: np.random.Generator, level: Ints, means: tuple[float, ...], weights: list[float]) -> tuple[Ints, Ints]:
    """For each person a number of different entries of a table; commoner ones first."""
    counts = np.minimum(rng.poisson(np.array(means)[level]), len(weights))
    order = np.argsort(-(np.log(weights) + rng.gumbel(size=(len(level), len(weights)))), axis=1)
    person, place = np.nonzero(np.arange(len(weights))[None, :] < counts[:, None])
    return person, order[person, place]


def _of_visits(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """Diagnoses noted on the day of a visit, or days after it: not known when the patient came."""
    noted = story.filter(pl.Series(chance(rng, 0.3, story.height)) & ~pl.col("unseen"))
    dx = [CONDITIONS[c].diagnoses[0] for c in noted["condition"].to_list()]
    after = np.where(chance(rng, 0.15, noted.height), rng.integers(1, 10, noted.height), 0)
    return noted.select(
        "MRN",
        day=pl.col("arrival_day") + pl.Series(after),
        CodeType=pl.lit("Dx10"),
        Code=pl.Series([d.icd10.replace(".", "") for d in dx], dtype=pl.String),
        Desc10=pl.Series([d.name for d in dx], dtype=pl.String),
        CCS=pl.lit(259.0),
        DescCCS=pl.lit("Residual codes; unclassified"),
    )


def medication_rows(rng: np.random.Generator, people: pl.DataFrame, story: pl.DataFrame) -> pl.DataFrame:
    """meds.csv with entry_day, start_day, end_day (days since 1970, null where blank)."""
    person, which = _chosen(rng, people["burden"].to_numpy(), MEDICATIONS_MEAN, [m.weight for m in HOME_MEDICATIONS])
    first = people["first_day"].to_numpy()[person]
    entry = first - rng.integers(10, 1500, len(person))
    home = _listed(people["MRN"].to_numpy()[person], HOME_MEDICATIONS, which, entry)
    ended, ends = chance(rng, 0.08, len(person)), chance(rng, 0.1, len(person))
    end = np.where(ended, entry + 5, first + rng.integers(800, 1200, len(person)))
    home = home.with_columns(
        start_day=pl.when(pl.Series(chance(rng, 0.85, len(person)))).then("entry_day"),
        end_day=pl.when(pl.Series(ended | ends)).then(pl.Series(end)),
        Active=pl.when(pl.Series(ended)).then(pl.lit("N")).otherwise(pl.lit("Y")),
        entry_day=pl.when(~pl.Series(chance(rng, 0.004, len(person)))).then("entry_day"),
    )
    return pl.concat([home, _prescribed(rng, story)])


def _listed(mrn: Ints, table: tuple[HomeMedication, ...], which: Ints, entry: Ints) -> pl.DataFrame:
    texts = {
        "NDC": "ndc",
        "Name": "name",
        "Generic_name": "generic",
        "Med_class": "med_class",
        "Med_subclass": "subclass",
    }
    columns = {name: np.array([getattr(m, field) for m in table], dtype=object)[which] for name, field in texts.items()}
    frame = {"MRN": mrn, "Med_ID": np.array([m.med_id for m in table])[which]} | columns | {"entry_day": entry}
    return pl.DataFrame(frame, schema_overrides=dict.fromkeys(texts, pl.String))


def _prescribed(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """What a discharged patient is sent home with: it starts on the day of the visit."""
    sent = story.filter(pl.Series(chance(rng, 0.4, story.height)) & ~pl.col("admitted") & ~pl.col("unseen"))
    which = pick(rng, [m.weight for m in PRESCRIBED], sent.height)
    day = _days_of(sent)
    frame = _listed(sent["MRN"].to_numpy(), PRESCRIBED, which, day)
    end = pl.Series(day + rng.integers(4, 15, sent.height))
    return frame.with_columns(start_day=pl.col("entry_day"), end_day=end, Active=pl.lit("N"))


def _days_of(visits: pl.DataFrame) -> Ints:
    return visits["arrival_day"].to_numpy().astype(np.int64)


def first_days(story: pl.DataFrame) -> pl.DataFrame:
    """One row per patient: MRN, burden and the day of the first visit."""
    return story.group_by("MRN", maintain_order=True).agg(
        pl.col("burden").first(), first_day=pl.col("arrival_day").min()
    )
