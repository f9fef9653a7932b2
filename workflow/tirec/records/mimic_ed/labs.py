"""Hospital laboratory results inside a stay: from `hosp/labevents`, or from a file already joined to stays."""

import polars as pl

from tirec.records.buckets import merged
from tirec.records.mimic_ed import words
from tirec.records.mimic_ed.files import D_LABITEMS, LABEVENTS, STAY_LABS
from tirec.records.mimic_ed.reading import Source
from tirec.records.schema import LABS
from tirec.records.values import lab_number, lab_sign

HIDDEN = "___"
"""What MIMIC writes where a word was removed."""


def labs(source: Source, stays: pl.DataFrame, delay_s: int) -> pl.DataFrame:
    """`labs`, empty where no file was given; a result is known at its store time, or `delay_s` after the specimen."""
    if "stay_labs" in source.ledgers:
        rows = _joined(source, stays)
    elif "labevents" in source.ledgers:
        rows = _hospital(source, stays)
    else:
        return LABS.empty()
    source.note("labs", "results without a store time, taken as known after a delay", _undated(rows))
    shared = rows.group_by("label", "fluid").agg(units=pl.col("unit").drop_nulls().n_unique())
    source.note(
        "labs", "tests with more than one unit, each value with its own", shared.filter(pl.col("units") > 1).height
    )
    return merged(LABS, _table(rows, delay_s))


def _undated(rows: pl.DataFrame) -> int:
    return rows["storetime"].null_count()


def _joined(source: Source, stays: pl.DataFrame) -> pl.DataFrame:
    """Results that name their stay; the number only, without store time, flag or limits."""
    rows = source.of_stays(STAY_LABS, stays)
    source.keep(STAY_LABS, rows.height)
    return rows.rename({"valueuom": "unit", "valuenum": "said"}).with_columns(
        storetime=pl.lit(None, pl.Int64),
        flag=pl.lit(None, pl.String),
        ref_range_lower=pl.lit(None, pl.Float64),
        ref_range_upper=pl.lit(None, pl.Float64),
    )


def _hospital(source: Source, stays: pl.DataFrame) -> pl.DataFrame:
    """Results of the stays' patients whose specimen was taken between arrival and departure (batch by batch)."""
    items = source.rows(D_LABITEMS).drop("row")
    source.keep(D_LABITEMS, items.height)
    ledger, parts, kept = source.ledgers["labevents"], [], 0
    for frame in source.batches(LABEVENTS):
        inside = frame.join(stays, on="mrn").filter(
            pl.col("charttime").is_between(pl.col("arrival"), pl.col("departure"))
        )
        kept += (rows := inside["row"].n_unique())
        ledger.drop("outside every stay", frame.height - rows)
        parts.append(inside)
    source.keep(LABEVENTS, kept)
    named = pl.concat(parts).join(items, on="itemid", how="left", maintain_order="left")
    text = pl.col("value")
    said = pl.coalesce(pl.when(text.str.strip_chars() != HIDDEN).then(text), "valuenum")
    return named.with_columns(said=said, unit="valueuom")


def _table(rows: pl.DataFrame, delay_s: int) -> pl.DataFrame:
    taken = pl.col("charttime") - pl.col("arrival")
    number = words.compared(pl.col("said"))
    return rows.select(
        "row",
        "csn",
        order_s=taken,
        result_s=pl.coalesce(pl.col("storetime") - pl.col("arrival"), taken + delay_s),
        display_name="category",
        abnormal=pl.lit(None, pl.String),
        component_name=words.component(pl.col("label"), pl.col("fluid")),
        component_result="said",
        component_value="said",
        value=lab_number(number),
        sign=lab_sign(number),
        component_units="unit",
        component_abnormal="flag",
        nml_low="ref_range_lower",
        nml_high="ref_range_upper",
    )
