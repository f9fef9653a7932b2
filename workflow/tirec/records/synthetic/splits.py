"""The six split files: one CSN per line, no header, no patient in two parts."""

from pathlib import Path

import numpy as np
import polars as pl

from tirec.config.synthetic import SyntheticConfig
from tirec.provenance import write_text
from tirec.records.synthetic.draws import chance, stream

PARTS = ("train", "val", "test")
CHRONO = (0.78, 0.11, 0.11)
RANDOM = (0.8, 0.1, 0.1)
"""Shares of patients."""


def write_splits(visits: pl.DataFrame, config: SyntheticConfig, folder: Path) -> None:
    """Writes split_chrono_* (patients by the day of their first visit) and split_random_*; a few visits are in none."""
    rng = stream(config.seed, 0, "splits")
    people = visits.group_by("MRN", maintain_order=True).agg(pl.col("first_s").first())
    for kind, shares in (("chrono", CHRONO), ("random", RANDOM)):
        order = people["first_s"].to_numpy() if kind == "chrono" else rng.random(people.height)
        part = people.select("MRN", part=pl.Series(parts(order, shares)))
        listed = visits.filter(pl.Series(~chance(rng, config.unsplit_share, visits.height)))
        listed = listed.join(part, on="MRN", how="left", maintain_order="left")
        for place, name in enumerate(PARTS):
            csns = listed.filter(pl.col("part") == place)["CSN"].sort()
            write_text("".join(f"{csn}\n" for csn in csns), folder / f"split_{kind}_{name}.csv")


def parts(order: np.ndarray, shares: tuple[float, float, float]) -> np.ndarray:
    """0, 1, 2 for the first, middle and last share of the patients in this order."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[np.argsort(order, kind="stable")] = np.arange(len(order))
    edges = np.rint(np.cumsum(shares)[:2] * len(order)).astype(np.int64)
    return np.searchsorted(edges, rank, side="right").astype(np.int64)
