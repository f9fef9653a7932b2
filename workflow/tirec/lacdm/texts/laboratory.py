"""Laboratory panels as one line each: which items a panel has, how they are called, what their values say."""

from collections.abc import Sequence

import polars as pl

from tirec.config.lacdm import LacdmConfig
from tirec.evidence.functions.labs import by_limits
from tirec.lacdm.menu import ClinicalTest
from tirec.records.values import lab_number, lab_sign

IN_HEADLINE = 4
"""Values out of range that a headline names."""


def results(laboratory: pl.DataFrame) -> pl.DataFrame:
    """The first value of each admission and item with its number, comparison sign and level (LOW, NORMAL, HIGH, null).

    Levels are judged by the record's own reference range only.
    """
    first = laboratory.sort("row").unique(["hadm_id", "itemid"], keep="first", maintain_order=True)
    word = _comparison(pl.col("value")).str.extract(r"^(\S+)")
    numbered = first.with_columns(number=lab_number(word), sign=lab_sign(word))
    limits = pl.col("lower").is_not_null() | pl.col("upper").is_not_null()
    return numbered.with_columns(level=by_limits(pl.col("number"), pl.col("lower"), pl.col("upper"), limits))


def _comparison(value: pl.Expr) -> pl.Expr:
    """`LESS THAN 10 mEq/L` and `GREATER THAN 20 NG/ML` with the sign that they mean, without a blank behind it."""
    signed = value.str.replace("(?i)^less than ", "<").str.replace("(?i)^greater than ", ">")
    return signed.str.replace(r"^([<>]=?)\s+", "$1")


def panel_items(test: ClinicalTest, items: pl.DataFrame) -> list[int]:
    """The item ids of a panel: what the data set's mapping says under its name, else the menu's own list.

    `Complete Blood Count` is found as such, or as the long form of `Complete Blood Count (CBC)`.
    """
    label = pl.col("label")
    named = items.filter((label == test.name) | label.str.starts_with(f"{test.name} ("))
    exact_first = named.sort(label != test.name, "row")
    return exact_first["corresponding_ids"][0].to_list() if named.height else list(test.items)


def item_labels(items: pl.DataFrame) -> pl.DataFrame:
    """itemid and shown label: that of the first of its corresponding ids, as the published code has it."""
    own = items.drop_nulls("itemid").unique("itemid", keep="first", maintain_order=True)
    known = own.select("itemid", "label")
    first = own.select("itemid", "label", leader=pl.col("corresponding_ids").list.first())
    joined = first.join(known.rename({"itemid": "leader", "label": "led"}), on="leader", how="left")
    return joined.select("itemid", label=pl.coalesce("led", "label"))


def panel_texts(found: pl.DataFrame, panel: Sequence[int], labels: pl.DataFrame, config: LacdmConfig) -> pl.DataFrame:
    """One line per admission that has at least one of the panel's items, in the panel's order."""
    order = pl.DataFrame({"itemid": panel}, schema={"itemid": pl.Int64()}).unique(maintain_order=True)
    placed = order.with_row_index("place").join(labels, on="itemid", how="left", maintain_order="left")
    name = pl.coalesce("label", pl.format("Item {}", pl.col("itemid")))
    rows = found.join(placed, on="itemid").drop_nulls("value").sort("hadm_id", "place").with_columns(label=name)
    grouped = rows.with_columns(line=_line(config)).group_by("hadm_id", maintain_order=True)
    if config.style == "headline":
        return _headlines(rows)
    return grouped.agg(text=pl.col("line").str.join(", "), rows=pl.col("row"))


def _line(config: LacdmConfig) -> pl.Expr:
    plain = pl.format("{}: {}", "label", "value")
    level = pl.col("level")
    match config.switches.lab_values:
        case "value":
            return plain
        case "level":
            return pl.when(level.is_not_null()).then(pl.format("{}: {}", "label", "level")).otherwise(plain)
    ends = pl.format("{} - {}", _end("lower"), _end("upper"))
    limits = pl.col("lower").is_not_null() | pl.col("upper").is_not_null()
    ranged = pl.concat_str(plain, pl.lit(" (reference "), ends, pl.lit(")"))
    judged = pl.when(level.is_null()).then(ranged).otherwise(pl.concat_str(ranged, pl.lit(" "), level))
    return pl.when(limits).then(judged).otherwise(plain)


def _end(column: str) -> pl.Expr:
    return pl.col(column).round(4).cast(pl.String).str.replace(r"\.0$", "").fill_null("?")


def _headlines(rows: pl.DataFrame) -> pl.DataFrame:
    """`White Blood Cells HIGH, Lipase HIGH`, or `all NORMAL`."""
    abnormal = pl.col("level").is_in(["LOW", "HIGH"])
    short = pl.format("{} {}", pl.col("label").str.replace(r" \(.*$", ""), "level")
    named = short.filter(abnormal).head(IN_HEADLINE).str.join(", ")
    told = rows.group_by("hadm_id", maintain_order=True).agg(named=named, rows=pl.col("row"))
    text = pl.when(pl.col("named") == "").then(pl.lit("all NORMAL")).otherwise("named")
    return told.select("hadm_id", text=text, rows="rows")
