"""What was planted, for tests: the causes of each task, and the latent values of each visit."""

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.records.synthetic.courses import THREATENED, true_level
from tirec.records.synthetic.outcomes import PLANTED, RETURN_EDGES_H


def truth_rows(story: pl.DataFrame) -> pl.DataFrame:
    """One row per visit: its latent causes and the probabilities that its outcomes were drawn from."""
    rows = np.arange(story.height)
    rate = true_level(story, "hr", rows, story["departure_s"].to_numpy())
    threats = [f"{vital.measure}_{part}" for vital in THREATENED for part in ("narrow", "declines")]
    causes = ["treatment", "derangement", "finding", "burden", "fever"]
    return story.select(
        "CSN",
        "MRN",
        pl.col("severity").round(4),
        *causes,
        *threats,
        "admitted",
        hr_at_departure=pl.Series(rate).round(2),
        p_admission=pl.col("p_admission").round(5),
        p_return=pl.col("p_return").round(5),
    )


def truth_record(visits: pl.DataFrame, config: SyntheticConfig) -> dict[str, object]:
    """Planted causes by task, the settings, and what came out."""
    sent = visits.filter(~pl.col("admitted") & ~pl.col("unseen"))
    hours = sent["next_hours"].fill_null(np.inf)
    return {
        "planted": {task: list(functions) for task, functions in PLANTED.items()},
        "settings": config.model_dump(),
        "visits": visits.height,
        "patients": visits["MRN"].n_unique(),
        "admitted_share": round(float(np.mean(visits["admitted"].to_numpy())), 4),
        "return_shares": {
            f"{int(edge / 24)}d": round(float(np.mean((hours <= edge).to_numpy())), 4) for edge in RETURN_EDGES_H[1:]
        },
    }
