"""Who is there and what was done: counts, splits, availability, amounts, and what the floors reach."""

from collections.abc import Iterator, Mapping

import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.lacdm.audit.counting import ALL, Counter, Row
from tirec.lacdm.cases import CdmCases
from tirec.lacdm.menu import Menu


def counts(labels: pl.DataFrame, splits: pl.DataFrame) -> Iterator[Row]:
    """Admissions per condition and split, and patients who stand in more than one split."""
    counter = Counter("Admissions", labels)
    yield from counter.cases("admissions", labels["hadm_id"])
    for split in ("train", "validation", "test"):
        yield from counter.cases(f"in {split}", splits.filter(pl.col("split") == split)["hadm_id"])
    several = splits.group_by("patient").agg(pl.col("split").n_unique())
    yield counter.share("patients in more than one split", several.filter(pl.col("split") > 1).height, several.height)


def availability(
    tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame, splits: list[CdmCases], menu: Menu
) -> Iterator[Row]:
    """Cases in which each test was performed, and how much of everything there is."""
    counter = Counter("Which tests were performed", labels)
    cases = pl.concat([split.columns(["case_id", "hadm_id", *menu.names]) for split in splits])
    for name in menu.names:
        yield from counter.cases(name, cases.filter(pl.col(name).is_not_null())["hadm_id"])
    yield from counter.cases("microbiology", tables["microbiology"]["hadm_id"])
    amounts = Counter("How much there is (median per case)", labels)
    yield from amounts.median("laboratory results", _per_case(tables["laboratory"]))
    yield from amounts.median("imaging reports", _per_case(tables["radiology"]))
    length = pl.col("text").str.len_chars().cast(pl.Float64)
    yield from amounts.median("characters of the history", tables["history"].select("hadm_id", value=length))
    yield from amounts.median("characters of the examination", tables["examination"].select("hadm_id", value=length))


def _per_case(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by("hadm_id").agg(value=pl.len().cast(pl.Float64))


def floors(predictions: Mapping[str, pl.DataFrame]) -> Iterator[Row]:
    """What is reached on validation without reading any result: right cases by condition, and overall."""
    for model, frame in predictions.items():
        section = "Right on validation without reading a result"
        right = frame.with_columns(right=pl.col("predicted") == pl.col("condition"))
        for group in (*CONDITIONS, ALL):
            rows = right if group == ALL else right.filter(pl.col("condition") == group)
            n, of = int(rows["right"].sum()), rows.height
            yield section, model.replace("_", " "), group, n, of, n / of if of else None
