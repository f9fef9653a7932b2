"""orders.csv: bedside routine, treatment by intensity, laboratory and imaging orders, and the decision itself."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from tirec.records.synthetic.draws import HOUR, MINUTE, Floats, Ints, chance, lognormal, ragged
from tirec.records.synthetic.formulary import (
    ADMISSION,
    DISCHARGE,
    INTENSIVE,
    OBSERVATION,
    PARENTERAL,
    ROUTINE,
    SYMPTOMATIC,
    Item,
)
from tirec.records.synthetic.panels import PANELS
from tirec.records.synthetic.studies import STUDIES

PARENTERAL_MEAN = (0.1, 2.6, 4.0)
INTENSIVE_MEAN = (0.02, 0.2, 5.0)
"""Mean number of orders of each class at treatment level 0, 1, 2."""
SCHEMA = {
    "visit": pl.Int64,
    "time_s": pl.Int64,
    "Order_type": pl.String,
    "Procedure_name": pl.String,
    "Procedure_ID": pl.String,
    "admin_s": pl.Int64,
    "result_s": pl.Int64,
}


def order_rows(
    rng: np.random.Generator, story: pl.DataFrame, draws: pl.DataFrame, studies: pl.DataFrame
) -> pl.DataFrame:
    """Orders in seconds from arrival; `draws` are the laboratory orders, `studies` the imaging orders with results."""
    treated = story["treatment"].to_numpy()
    seen = ~story["unseen"].to_numpy()
    parts = [
        _given(rng, story, ROUTINE, np.where(seen, 2.0, 0.3), 12),
        _given(rng, story, SYMPTOMATIC, np.where(seen, 1.0, 0.05), 25),
        _given(rng, story, PARENTERAL, np.array(PARENTERAL_MEAN)[treated] * seen, 22),
        _given(rng, story, INTENSIVE, np.array(INTENSIVE_MEAN)[treated] * seen, 26),
        _decision(rng, story),
        _laboratory(draws),
        _imaging(studies),
    ]
    return pl.concat([part.select(list(SCHEMA)) for part in parts])


def _frame(visit: Ints, time: Ints, items: Sequence[Item], which: Ints) -> pl.DataFrame:
    columns = {
        "Order_type": [item.kind for item in items],
        "Procedure_name": [item.name for item in items],
        "Procedure_ID": [item.code for item in items],
    }
    named = {name: np.array(values, dtype=object)[which] for name, values in columns.items()}
    frame = pl.DataFrame({"visit": visit, "time_s": time} | named, schema_overrides=dict.fromkeys(named, pl.String))
    return frame.with_columns(admin_s=pl.lit(None, pl.Int64), result_s=pl.lit(None, pl.Int64))


def _given(
    rng: np.random.Generator, story: pl.DataFrame, items: Sequence[Item], mean: Floats, median_minutes: float
) -> pl.DataFrame:
    """Poisson many orders of a class per visit, while the patient is there; medications get an administration time."""
    counts = rng.poisson(mean)
    visit, _ = ragged(counts)
    time = np.rint(lognormal(rng, median_minutes, 0.5, len(visit)) * MINUTE).astype(np.int64)
    kept = time <= story["decision_s"].to_numpy()[visit]
    visit, time = visit[kept], time[kept]
    frame = _frame(visit, time, items, rng.integers(0, len(items), len(visit)))
    admin = time + np.rint(lognormal(rng, 18, 0.6, len(visit)) * MINUTE).astype(np.int64)
    administered = pl.Series(chance(rng, 0.92, len(visit))) & (frame["Order_type"] == "Medication")
    return frame.with_columns(admin_s=pl.when(administered).then(pl.Series(admin)))


def _decision(rng: np.random.Generator, story: pl.DataFrame) -> pl.DataFrame:
    """The orders that are the decision, minutes after it; and what is ordered for boarders and after departure."""
    visits = story.with_row_index("visit").with_columns(pl.col("visit").cast(pl.Int64)).filter(~pl.col("unseen"))
    parts = []
    for admits, dispo, items in (
        (True, ("Inpatient", "ICU"), ADMISSION),
        (True, ("Observation",), OBSERVATION),
        (False, ("Discharge",), DISCHARGE),
    ):
        chosen = visits.filter((pl.col("admitted") == admits) & pl.col("ed_dispo").is_in(dispo))
        for which, _ in enumerate(items):
            time = chosen["decision_s"].to_numpy() + rng.integers(0, 10 * MINUTE, chosen.height)
            parts.append(_frame(chosen["visit"].to_numpy(), time, items, np.full(chosen.height, which)))
    boarders = visits.filter(pl.col("admitted") & pl.Series(chance(rng, 0.5, visits.height)))
    late = boarders["departure_s"].to_numpy() + rng.integers(-HOUR, HOUR, boarders.height)
    late = np.maximum(late, boarders["decision_s"].to_numpy())
    parts.append(
        _frame(boarders["visit"].to_numpy(), late, INTENSIVE, rng.integers(0, len(INTENSIVE), boarders.height))
    )
    return pl.concat(parts)


def _laboratory(draws: pl.DataFrame) -> pl.DataFrame:
    panels = pl.DataFrame(
        {
            "panel": range(len(PANELS)),
            "Procedure_name": [p.order_name for p in PANELS],
            "Procedure_ID": [p.code for p in PANELS],
        },
        schema_overrides={"panel": pl.Int64},
    )
    return draws.join(panels, on="panel", how="left", maintain_order="left").with_columns(
        Order_type=pl.lit("Lab"), admin_s=pl.lit(None, pl.Int64)
    )


def _imaging(studies: pl.DataFrame) -> pl.DataFrame:
    names = pl.DataFrame(
        {
            "study": range(len(STUDIES)),
            "Procedure_name": [s.name for s in STUDIES],
            "Procedure_ID": [s.code for s in STUDIES],
        },
        schema_overrides={"study": pl.Int64},
    )
    return studies.join(names, on="study", how="left", maintain_order="left").with_columns(
        Order_type=pl.lit("Imaging"), admin_s=pl.lit(None, pl.Int64)
    )
