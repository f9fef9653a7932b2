"""rads.csv: the studies done, when they were reported and what the report says."""

import numpy as np
import polars as pl

from tirec.records.synthetic.draws import MINUTE, Ints, chance, ragged
from tirec.records.synthetic.studies import ACUTE, FURTHER, MINOR, NORMAL, STUDIES

ADDED_MEAN = (0.03, 0.5, 1.9)
"""Mean number of added views and reconstructions at finding level 0, 1, 2; they have no order of their own."""
SECOND_SHARE = 0.15
"""Share of imaged visits with a second, normal study."""


def draw_studies(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """Imaging orders: visit, study, finding, time_s and result_s, seconds from arrival."""
    done = (story["study"] >= 0) & ~story["unseen"]
    visit = np.flatnonzero(done.to_numpy())
    first = (
        story[visit]
        .select("study", "finding", time_s="imaged_s", result_s="reported_s")
        .with_columns(visit=pl.Series(visit))
    )
    second = first.filter(pl.Series(chance(rng, SECOND_SHARE, len(visit))))
    other = pl.Series(rng.integers(0, len(STUDIES), second.height))
    second = second.with_columns(study=other, finding=pl.lit(0, pl.Int64), time_s=pl.col("time_s") + 5 * MINUTE)
    return pl.concat([first, second]).select("visit", "study", "finding", "time_s", "result_s")


def rad_rows(rng: np.random.Generator, studies: pl.DataFrame) -> pl.DataFrame:
    """Reports of the ordered studies and of what was added to them; times in seconds from arrival."""
    done = studies.with_columns(Study=_names(studies, "name"))
    finding = studies["finding"].to_numpy()
    parent, place = ragged(rng.poisson(np.array(ADDED_MEAN)[finding]))
    added = studies[parent].with_columns(
        Study=_names(studies[parent], "added"),
        result_s=pl.col("result_s") + pl.Series((4 * place + rng.integers(1, 4, len(parent))) * MINUTE),
    )
    rows = pl.concat([done, added])
    return rows.with_columns(Impression=_reports(rng, rows["study"].to_numpy(), rows["finding"].to_numpy()))


def _names(studies: pl.DataFrame, field: str) -> pl.Series:
    names = np.array([getattr(study, field) for study in STUDIES], dtype=object)
    return pl.Series(names[studies["study"].to_numpy()], dtype=pl.String)


def _reports(rng: np.random.Generator, study: Ints, finding: Ints) -> pl.Series:
    """Numbered sentences on lines of their own."""
    sources = (NORMAL, MINOR, ACUTE)
    choice, more = rng.random(len(study)), rng.integers(0, len(FURTHER), len(study))
    texts = []
    for place, level in enumerate(finding):
        sentences = sources[level][STUDIES[study[place]].region]
        first = sentences[int(choice[place] * len(sentences))]
        second = FURTHER[more[place]]
        texts.append(f"1. {first}\n2. {second}" if second else f"1. {first}")
    return pl.Series(texts, dtype=pl.String)
