"""Columns for tabular models, from the same cases that the agents get: laboratory numbers, what was performed, who."""

from collections.abc import Iterable

import polars as pl

from tirec.config.lacdm import CdmTabularConfig
from tirec.lacdm.cases import ROWS, CdmCases
from tirec.lacdm.menu import Menu
from tirec.lacdm.texts.laboratory import panel_items, results

LAB, PERFORMED, FIRST = "lab__", "performed__", "first_row__"
WHO = ("age", "female")
KEYS = ("case_id", "hadm_id", "patient", "split", "condition")


def lab_name(itemid: int) -> str:
    """The column of a laboratory item."""
    return f"{LAB}{itemid}"


def build_features(
    cases: Iterable[CdmCases],
    laboratory: pl.DataFrame,
    history: pl.DataFrame,
    items: pl.DataFrame,
    menu: Menu,
    rules: CdmTabularConfig,
) -> pl.DataFrame:
    """One row per case: keys, age, female, history_chars, performed__{test}, first_row__{test}, lab__{itemid} (null).

    An item is a column if a panel of the menu holds it and enough training cases have a number of it; a value counts
    only where a panel that holds it is available in the case, so that withheld results stay withheld.
    """
    head = pl.concat([_head(split, menu) for split in cases])
    length = history.select("hadm_id", history_chars=pl.col("text").str.len_chars().cast(pl.Float64))
    known = head.join(length, on="hadm_id", how="left")
    numbers = _numbers(known, results(laboratory), items, menu)
    return known.join(_common(numbers, known, rules.min_share), on="case_id", how="left").sort("case_id")


def _head(split: CdmCases, menu: Menu) -> pl.DataFrame:
    frame = split.columns([*KEYS, "age", "sex", *menu.names, *(ROWS + test.name for test in menu)])
    performed = (pl.col(name).is_not_null().alias(PERFORMED + name) for name in menu.names)
    female = (pl.col("sex") == "F").cast(pl.Float64).alias("female")
    first = (pl.col(ROWS + name).list.min().alias(FIRST + name) for name in menu.names)
    return frame.select(*KEYS, pl.col("age").cast(pl.Float64), female, *performed, *first)


def _numbers(known: pl.DataFrame, found: pl.DataFrame, items: pl.DataFrame, menu: Menu) -> pl.DataFrame:
    """case_id, itemid, number of every value that some available panel reports."""
    panels = [test for test in menu if test.kind == "panel"]
    reported = [
        known.filter(pl.col(PERFORMED + test.name))
        .select("case_id", "hadm_id")
        .join(pl.DataFrame({"itemid": panel_items(test, items)}, schema={"itemid": pl.Int64()}), how="cross")
        for test in panels
    ]
    pairs = pl.concat(reported).unique()
    numbered = found.drop_nulls("number").select("hadm_id", "itemid", "number")
    return pairs.join(numbered, on=["hadm_id", "itemid"]).select("case_id", "itemid", "number")


def _common(numbers: pl.DataFrame, known: pl.DataFrame, min_share: float) -> pl.DataFrame:
    """The wide table of the items that enough training cases have."""
    train = known.filter(pl.col("split") == "train")["case_id"]
    counts = numbers.filter(pl.col("case_id").is_in(train.implode())).group_by("itemid").len()
    common = counts.filter(pl.col("len") >= min_share * len(train))["itemid"].sort()
    chosen = numbers.filter(pl.col("itemid").is_in(common.implode())).with_columns(
        column=pl.format(f"{LAB}{{}}", "itemid")
    )
    wide = chosen.pivot(on="column", on_columns=[lab_name(item) for item in common], index="case_id", values="number")
    return wide.select("case_id", *(lab_name(item) for item in common))
