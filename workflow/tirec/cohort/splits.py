"""Training, validation and test, from the split files that came with the records (rule 3)."""

import polars as pl

from tirec.cohort.lottery import tickets
from tirec.config.cohort import SPLITS, SplitConfig
from tirec.errors import DataError

COLUMNS = ("csn", "mrn", "split", "half")


def build_splits(visits: pl.DataFrame, split_files: pl.DataFrame, config: SplitConfig) -> pl.DataFrame:
    """One row per visit that a split file names, sorted by csn: csn, mrn, split, half (A | B, validation only).

    `split_files`: family, split, csn, row. Raises DataError when a visit or a patient is in two splits.
    """
    listed = _listed(split_files, config)
    _check_once(listed)
    placed = visits.select("csn", "mrn", "row").join(listed.select("csn", "split").unique(), on="csn")
    _check_patients(placed)
    return placed.with_columns(_half(placed["mrn"], config)).select(COLUMNS).sort("csn")


def count_splits(
    visits: pl.DataFrame, split_files: pl.DataFrame, splits: pl.DataFrame, config: SplitConfig
) -> pl.DataFrame:
    """What the audit says of the split: check, n (visits and patients per split, and what has no counterpart)."""
    listed = _listed(split_files, config)["csn"].unique()
    counts: dict[str, int] = {}
    for name in SPLITS:
        part = splits.filter(pl.col("split") == name)
        counts |= {f"visits_{name}": len(part), f"patients_{name}": part["mrn"].n_unique()}
    counts["visits_in_no_split_file"] = len(visits) - len(splits)
    counts["listed_but_not_in_visits"] = len(listed) - len(splits)
    return pl.DataFrame({"check": list(counts), "n": list(counts.values())})


def empty_splits(splits: pl.DataFrame) -> list[str]:
    """Names of the splits without a visit."""
    return [name for name in SPLITS if name not in splits["split"]]


def _listed(split_files: pl.DataFrame, config: SplitConfig) -> pl.DataFrame:
    return split_files.filter(pl.col("family") == config.family)


def _check_once(listed: pl.DataFrame) -> None:
    twice = listed.group_by("csn").agg("split", "row").filter(pl.col("split").list.n_unique() > 1)
    if len(twice):
        raise DataError(f"split files: {len(twice)} visits are in two splits (first: {_first_rows(twice, listed)})")


def _first_rows(twice: pl.DataFrame, listed: pl.DataFrame) -> str:
    """Where the first such visit stands, without naming it."""
    rows = listed.filter(pl.col("csn").is_in(twice["csn"].implode())).sort("row", "split")
    first = rows.filter(pl.col("csn") == rows["csn"][0])
    return " and ".join(f"{split} line {row}" for split, row in first.select("split", "row").iter_rows())


def _check_patients(placed: pl.DataFrame) -> None:
    torn = placed.group_by("mrn").agg("split", pl.col("row").min()).filter(pl.col("split").list.n_unique() > 1)
    if len(torn):
        raise DataError(
            f"split files: {len(torn)} patients are in two splits; splits must be disjoint by patient "
            f"(first: the patient of data row {torn['row'].min()} of visits)"
        )


def _half(mrn: pl.Series, config: SplitConfig) -> pl.Expr:
    share = tickets(mrn, config.half_seed, "validation half").cast(pl.Float64) / 2.0**64
    letter = pl.Series((share < config.half_a_share).replace_strict({True: "A", False: "B"}, return_dtype=pl.String))
    return pl.when(pl.col("split") == "validation").then(letter).alias("half")
