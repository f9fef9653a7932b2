"""Bedside monitoring before the cutoff, from monitor minutes (never from the whole-visit summary: cohort rule 12)."""

from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Row, Text, rows_of
from tirec.evidence.menu import MENU
from tirec.evidence.window import Evidence
from tirec.evidence.wording import minutes, number, whole

CHANNELS = {
    "ecg": ("ECG", ("HR", "1min_HRV", "5min_HRV")),
    "pleth": ("pleth", ("SpO2", "Perf")),
    "respiration": ("respiration", ("RR",)),
}
"""Channel: words, and the monitor measures that show it was on."""
GAP_MIN = 5
"""Minutes without any monitor value that count as a gap."""
FULL_SHARE = 0.8


def _features(evidence: Evidence) -> pl.DataFrame:
    cutoff = evidence.visit.select("evidence_id", "cutoff_s")
    monitor = evidence.numerics.filter(pl.col("source") == "Monitor").join(cutoff, on="evidence_id")
    minute = (pl.col("cutoff_s") - pl.col("before_s")) // 60
    seen = monitor.select("evidence_id", "measure", "before_s", "row", minute=minute)
    found = evidence.ids.join(_coverage(seen), on="evidence_id", how="left")
    found = found.join(_gaps(seen), on="evidence_id", how="left")
    counted = ["monitored_min", *(f"{key}_min" for key in CHANNELS), "gaps"]
    return found.with_columns(pl.col(name).fill_null(0) for name in counted)


def _coverage(seen: pl.DataFrame) -> pl.DataFrame:
    channels = {
        f"{key}_min": pl.col("minute").filter(pl.col("measure").is_in(measures)).n_unique()
        for key, (_, measures) in CHANNELS.items()
    }
    spans = seen.group_by("evidence_id").agg(
        monitored_min=pl.col("minute").n_unique(),
        since_start_min=pl.col("before_s").max() / 60,
        since_min=pl.col("before_s").min() / 60,
        row_first=pl.col("row").get(pl.col("before_s").arg_max()),
        row_last=pl.col("row").get(pl.col("before_s").arg_min()),
        **channels,
    )
    share = (pl.col("monitored_min") / (pl.col("since_start_min") + 1)).clip(0, 1)
    return spans.with_columns(share=share)


def _gaps(seen: pl.DataFrame) -> pl.DataFrame:
    """Gaps between monitor minutes, up to the cutoff's own distance from the last minute."""
    moments = seen.select("evidence_id", "minute").unique().sort("evidence_id", "minute")
    step = pl.col("minute").diff().over("evidence_id")
    gap = moments.with_columns(gap=step - 1)
    return gap.group_by("evidence_id").agg(
        gaps=(pl.col("gap") >= GAP_MIN).sum(), longest_gap_min=pl.col("gap").max().fill_null(0)
    )


def _describe(_: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    for row in rows_of(columns):
        yield _text(row)


def _text(row: Row) -> Text:
    if not whole(row["monitored_min"]):
        return Text("NONE: no monitor minute by the cutoff")
    on = [f"{words} {whole(row[f'{key}_min'])} min" for key, (words, _) in CHANNELS.items()]
    complete = row["share"] >= FULL_SHARE and all(whole(row[f"{key}_min"]) for key in CHANNELS)
    lines = (
        f"Monitored {whole(row['monitored_min'])} of the last {number(row['since_start_min'] + 1)} min "
        f"({number(100 * row['share'])} %); last value {minutes(row['since_min'])} before the cutoff.",
        f"Gaps of {GAP_MIN} min or more: {whole(row['gaps'])}, longest {whole(row['longest_gap_min'])} min.",
    )
    return Text(f"{'FULL' if complete else 'PARTIAL'}: {', '.join(on)}", lines, (row["row_first"], row["row_last"]))


FUNCTIONS = (
    ClinicalFunction(
        MENU["waveforms"],
        "numerics",
        _features,
        _describe,
    ),
)
