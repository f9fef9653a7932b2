"""Imaging by the cutoff: what is back, by region, with acute findings, and what is pending."""

from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Row, Text, lists_of, rows_in
from tirec.evidence.menu import MENU
from tirec.evidence.vocabulary.imaging import MODALITIES, REGIONS, acute_findings, modality, region
from tirec.evidence.window import Evidence
from tirec.evidence.wording import minutes, shorten

LONGEST_STUDY, LONGEST_FINDING = 44, 40
IN_HEADLINE = 2


def read(reports: pl.DataFrame) -> pl.DataFrame:
    """Reports with region, modality and the acute findings their impressions affirm (joined by `, `; null if none)."""
    found = [", ".join(acute_findings(text)) or None for text in reports["impression"]]
    return _placed(reports, "study").with_columns(pl.Series("acute", found, dtype=pl.String))


def pending(evidence: Evidence) -> pl.DataFrame:
    """Imaging orders without a result by the cutoff: known from orders only."""
    waiting = evidence.orders.filter((pl.col("kind") == "imaging") & ~pl.col("resulted"))
    return _placed(waiting, "procedure_name")


def _placed(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    return rows.with_columns(
        pl.Series("region", [region(study) for study in rows[name]], dtype=pl.String),
        pl.Series("modality", [modality(study) for study in rows[name]], dtype=pl.String),
    )


def _features(evidence: Evidence) -> pl.DataFrame:
    reports = read(evidence.rads).group_by("evidence_id").agg(
        done=pl.len(),
        acute=pl.col("acute").is_not_null().sum(),
        since_min=pl.col("before_s").min() / 60,
        **{f"{key}_done": (pl.col("region") == key).sum() for key in REGIONS},
        **{f"{key}_acute": ((pl.col("region") == key) & pl.col("acute").is_not_null()).sum() for key in REGIONS},
        **{f"{key}_done": (pl.col("modality") == key).sum() for key in MODALITIES if key != "other"},
    )  # fmt: skip
    waiting = pending(evidence).group_by("evidence_id").agg(
        pending=pl.len(),
        **{f"{key}_pending": (pl.col("region") == key).sum() for key in REGIONS},
        **{f"{key}_pending": (pl.col("modality") == key).sum() for key in MODALITIES if key != "other"},
    )  # fmt: skip
    found = evidence.ids.join(reports, on="evidence_id", how="left").join(waiting, on="evidence_id", how="left")
    counted = [name for name in found.columns if name not in ("evidence_id", "since_min")]
    return found.with_columns(pl.col(name).fill_null(0) for name in counted)


def _describe(evidence: Evidence, _: pl.DataFrame) -> Iterator[Text]:
    done = lists_of(evidence, read(evidence.rads))
    waiting = lists_of(evidence, pending(evidence))
    for reports, orders in zip(done, waiting, strict=True):
        yield _text(sorted(reports, key=urgency), orders)._replace(further_rows={"orders": rows_in(orders)})


def urgency(report: Row) -> tuple[bool, int]:
    """Sort key: reports with an acute finding first, then the newest."""
    return (report["acute"] is None, report["before_s"])


def study(report: Row) -> str:
    """The study's name, shortened."""
    return shorten(report["study"] or "unnamed study", LONGEST_STUDY)


def _text(reports: list[Row], orders: list[Row]) -> Text:
    waiting = f"{len(orders)} pending"
    names = [shorten(order["procedure_name"] or "unnamed study", LONGEST_STUDY) for order in orders]
    pending_line = (f"Pending: {', '.join(names)}.",) if names else ()
    if not reports and not orders:
        return Text("NONE: no imaging by the cutoff")
    if not reports:
        return Text(f"PENDING: no result by the cutoff; {waiting}: {', '.join(names[:IN_HEADLINE])}", pending_line)
    lines = (*(_report_line(report) for report in reports), *pending_line)
    return Text(_headline(reports, orders), lines, line_rows=tuple((report["row"],) for report in reports))


def _headline(reports: list[Row], orders: list[Row]) -> str:
    acute = [report for report in reports if report["acute"]]
    waiting = f", {len(orders)} pending" if orders else ""
    if not acute:
        names = ", ".join(study(report) for report in reports[:IN_HEADLINE])
        return f"NO ACUTE FINDING: {len(reports)} done{waiting}; {names}"
    said = (f"{study(report)}: {shorten(report['acute'], LONGEST_FINDING)}" for report in acute[:IN_HEADLINE])
    return f"ACUTE: {len(acute)} of {len(reports)} done{waiting}; {'; '.join(said)}"


def _report_line(report: Row) -> str:
    found = shorten(report["acute"], LONGEST_FINDING) if report["acute"] else "no acute finding read"
    where = REGIONS[report["region"]]
    return f"{study(report)} ({where}), {minutes(report['before_s'] / 60)} before the cutoff: {found}."


FUNCTIONS = (
    ClinicalFunction(
        MENU["imaging"],
        "rads",
        _features,
        _describe,
        further_tables=("orders",),
    ),
)
