"""What clinicians asked for by the cutoff: how much, of which kind, and what has come of it."""

from collections import Counter
from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Row, Text, lists_of, rows_in, rows_of
from tirec.evidence.menu import MENU
from tirec.evidence.vocabulary.orders import CLASSES, KINDS, LABELS, order_class
from tirec.evidence.window import Evidence
from tirec.evidence.wording import amount, count_of, minutes, whole

FEW, SOME = 5, 14
"""Orders up to which an amount is FEW or SOME."""
IN_HEADLINE = 6
_RANK = {entry.key: rank for rank, entry in enumerate(CLASSES)}
# What nearly every visit has says little: a headline names it only when nothing better is there.
_COMMON = frozenset({"blood_count", "chemistry", "access", "urine", "monitoring"})


def classed(orders: pl.DataFrame) -> pl.DataFrame:
    """Orders with their class key (`unclassed` where no class knows the name)."""
    names = orders.select("kind", "procedure_name").unique()
    keys = [order_class(kind, name) for kind, name in names.iter_rows()]
    table = names.with_columns(pl.Series("order_class", keys, dtype=pl.String))
    return orders.join(table, on=["kind", "procedure_name"], how="left", nulls_equal=True, maintain_order="left")


def awaited(kind: str, resulted: bool, given: bool) -> str:
    """What has come of an order: resulted or pending, given or not yet given; nothing for the others."""
    if kind in ("lab", "imaging"):
        return "resulted" if resulted else "pending"
    if kind == "medication":
        return "given" if given else "not yet given"
    return "resulted" if resulted else "ordered"


def _features(evidence: Evidence) -> pl.DataFrame:
    rows = classed(evidence.orders)
    kind, open_result = pl.col("kind"), ~pl.col("resulted")
    counts = rows.group_by("evidence_id").agg(
        count=pl.len(),
        distinct=pl.col("procedure_name").n_unique(),
        classes=pl.col("order_class").filter(pl.col("order_class") != "unclassed").n_unique(),
        resulted=pl.col("resulted").sum(),
        given=pl.col("given").sum(),
        pending_lab=(open_result & (kind == "lab")).sum(),
        pending_imaging=(open_result & (kind == "imaging")).sum(),
        not_given=(~pl.col("given") & (kind == "medication")).sum(),
        first_min=pl.col("before_s").max() / 60,
        since_min=pl.col("before_s").min() / 60,
        last_hour=(pl.col("before_s") < 3600).sum(),
        **{f"kind_{name}": (kind == name).sum() for name in KINDS},
        **{f"class_{entry.key}": (pl.col("order_class") == entry.key).sum() for entry in CLASSES},
        class_unclassed=(pl.col("order_class") == "unclassed").sum(),
    )
    found = evidence.ids.join(counts, on="evidence_id", how="left")
    counted = [name for name in counts.columns if name not in ("evidence_id", "first_min", "since_min")]
    return found.with_columns(pl.col(name).fill_null(0) for name in counted)


def _describe(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    for row, orders in zip(rows_of(columns), lists_of(evidence, classed(evidence.orders)), strict=True):
        yield _text(row, orders)


def _text(row: Row, orders: list[Row]) -> Text:
    n = whole(row["count"])
    if not n:
        return Text("NONE: no order by the cutoff")
    found = Counter(order["order_class"] for order in orders if order["order_class"] != "unclassed")
    ranked = sorted(found, key=lambda key: (key in _COMMON, _RANK[key]))
    headline = f"{amount(n, FEW, SOME)}: {count_of(n, 'order')}"
    if ranked:
        headline += "; " + ", ".join(LABELS[key] for key in ranked[:IN_HEADLINE])
    lines = (_kinds(row), *_classes(found, ranked), _progress(row))
    return Text(headline, lines, rows_in(orders))


def _kinds(row: Row) -> str:
    said = [f"{name} {whole(row[f'kind_{name}'])}" for name in KINDS if whole(row[f"kind_{name}"])]
    return f"By kind: {', '.join(said)}."


def _classes(found: Counter[str], ranked: list[str]) -> list[str]:
    said = [f"{LABELS[key]} {found[key]}" for key in ranked]
    return [f"By class: {', '.join(said)}."] if said else []


def _progress(row: Row) -> str:
    resulted, given = whole(row["resulted"]), whole(row["given"])
    waiting = whole(row["pending_lab"]) + whole(row["pending_imaging"])
    span = f"first {minutes(row['first_min'])}, last {minutes(row['since_min'])} before the cutoff"
    return (
        f"Resulted {resulted}, pending {waiting} (lab {whole(row['pending_lab'])}, imaging "
        f"{whole(row['pending_imaging'])}); medications given {given}, not yet {whole(row['not_given'])}; {span}."
    )


FUNCTIONS = (
    ClinicalFunction(
        MENU["orders"],
        "orders",
        _features,
        _describe,
    ),
)
