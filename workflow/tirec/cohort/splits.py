"""Training, validation and test: from the split files that came with the records (rule 3), or by a seeded draw."""

import polars as pl

from tirec.cohort.lottery import tickets
from tirec.config.cohort import SPLITS, SplitConfig
from tirec.errors import DataError

COLUMNS = ("csn", "mrn", "split", "half")


def build_splits(visits: pl.DataFrame, split_files: pl.DataFrame, config: SplitConfig) -> pl.DataFrame:
    """One row per visit that a split file names, sorted by csn: csn, mrn, split, half (A | B, validation only).

    `visits`: csn, mrn, row; `split_files`: csn, split. Raises DataError when a patient is in two splits.
    """
    placed = visits.select("csn", "mrn", "row").join(split_files.select("csn", "split").unique(), on="csn")
    _check_patients(placed)
    return placed.with_columns(_half(placed["mrn"], config)).select(COLUMNS).sort("csn")


def draw_splits(visits: pl.DataFrame, config: SplitConfig) -> pl.DataFrame:
    """csn and split of every visit, by a draw per patient that depends on patient and seed alone."""
    share = _share(visits["mrn"], config.hash_seed, "split")
    validation, test = config.hash_validation_share, config.hash_test_share
    held_out = pl.when(share < test).then(pl.lit("test")).when(share < test + validation).then(pl.lit("validation"))
    return visits.select("csn", split=held_out.otherwise(pl.lit("train")))


def _share(mrn: pl.Series, seed: int, purpose: str) -> pl.Series:
    """Uniform in [0, 1) per patient."""
    return tickets(mrn, seed, purpose).cast(pl.Float64) / 2.0**64


def count_splits(visits: pl.DataFrame, split_files: pl.DataFrame, splits: pl.DataFrame) -> pl.DataFrame:
    """What the audit says of the split: check, n (visits and patients per split, and what has no counterpart)."""
    counts: dict[str, int] = {}
    for name in SPLITS:
        part = splits.filter(pl.col("split") == name)
        counts |= {f"visits_{name}": len(part), f"patients_{name}": part["mrn"].n_unique()}
    counts["visits_in_no_split_file"] = len(visits) - len(splits)
    counts["listed_but_not_in_visits"] = split_files["csn"].n_unique() - len(splits)
    return pl.DataFrame({"check": list(counts), "n": list(counts.values())})


def empty_splits(splits: pl.DataFrame) -> list[str]:
    """Names of the splits without a visit."""
    return [name for name in SPLITS if name not in splits["split"]]


def _check_patients(placed: pl.DataFrame) -> None:
    torn = placed.group_by("mrn").agg("split", pl.col("row").min()).filter(pl.col("split").list.n_unique() > 1)
    if len(torn):
        raise DataError(
            f"split files: {len(torn)} patients are in two splits; splits must be disjoint by patient "
            f"(first: the patient of data row {min(torn['row'])} of visits)"
        )


def _half(mrn: pl.Series, config: SplitConfig) -> pl.Expr:
    share = _share(mrn, config.half_seed, "validation half")
    letter = pl.Series((share < config.half_a_share).replace_strict({True: "A", False: "B"}, return_dtype=pl.String))
    return pl.when(pl.col("split") == "validation").then(letter).alias("half")
