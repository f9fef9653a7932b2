"""Laboratory results by panel, as a clinician reads them: what is back, what is out of range, what is pending."""

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Row, Text, lists_of, rows_in, rows_of
from tirec.evidence.menu import MENU
from tirec.evidence.vocabulary.labs import (
    ABNORMAL_FLAG,
    ABNORMAL_WORDS,
    BY_KEY,
    COMPONENTS,
    CRITICAL_FLAG,
    HIGH_FLAG,
    LOW_FLAG,
    NORMAL_FLAG,
    NORMAL_WORDS,
    PANELS,
    component,
    panel,
)
from tirec.evidence.window import Evidence
from tirec.evidence.wording import count_of, minutes, plain, shorten, whole

TELLING = ("troponin", "lactate", "d_dimer", "bnp")
LONGEST_NAME, LONGEST_RESULT, LONGEST_UNIT = 40, 60, 14
IN_HEADLINE, IN_PANELS, IN_LIST = 3, 8, 6


def judged(labs: pl.DataFrame) -> pl.DataFrame:
    """Lab rows with component key, label, panel, level (LOW, NORMAL, HIGH, ABNORMAL or null) and critical.

    The record's own limits judge first, then its flag, then the words of the result, then usual adult limits. A value
    known only to be below or above something is NORMAL only where that follows.
    """
    named = _named(labs)
    value, low, high = pl.col("value"), pl.col("nml_low"), pl.col("nml_high")
    limits = low.is_not_null() | high.is_not_null()
    level = pl.coalesce(
        by_limits(value, pl.when(limits).then(low), pl.when(limits).then(high), limits),
        _by_flag(pl.col("component_abnormal")),
        _by_words(pl.col("component_result")),
        by_limits(value, pl.col("usual_low"), pl.col("usual_high"), ~limits),
    )
    beyond = (value < pl.col("critical_low")) | (value > pl.col("critical_high"))
    flagged = pl.col("component_abnormal").str.contains(CRITICAL_FLAG)
    critical = beyond.fill_null(False) | flagged.fill_null(False)
    rows = named.with_columns(critical=critical, level=level)
    # A critical value is never normal, whatever the limits beside it say.
    unlikely = pl.col("critical") & (pl.col("level").is_null() | (pl.col("level") == "NORMAL"))
    return rows.with_columns(level=pl.when(unlikely).then(pl.lit("ABNORMAL")).otherwise("level"))


def _named(labs: pl.DataFrame) -> pl.DataFrame:
    """Lab rows with the component's key (null where it is no common test), label, panel and usual limits."""
    names = labs.select("component_name", "display_name").unique()
    known_as = [component(name) for name in names["component_name"]]
    table = names.with_columns(
        pl.Series("key", [entry and entry.key for entry in known_as], dtype=pl.String),
        pl.Series("panel", [panel(*pair) for pair in names.iter_rows()], dtype=pl.String),
        *(
            pl.Series(name, [entry and getattr(entry, field) for entry in known_as], dtype=pl.Float64)
            for name, field in _LIMITS.items()
        ),
    )
    return labs.join(table, on=["component_name", "display_name"], how="left", nulls_equal=True, maintain_order="left")


_LIMITS = {
    "usual_low": "low",
    "usual_high": "high",
    "critical_low": "critical_low",
    "critical_high": "critical_high",
}


def by_limits(value: pl.Expr, low: pl.Expr, high: pl.Expr, where: pl.Expr) -> pl.Expr:
    """LOW, NORMAL or HIGH of a value with its comparison `sign`, `where` it has limits; null where none follows."""
    sign = pl.col("sign").fill_null("")
    below, above = sign.is_in(["<", "<="]), sign.is_in([">", ">="])
    any_limit = low.is_not_null() | high.is_not_null()
    surely_low = (value < low) | (below & (value <= low))
    surely_high = (value > high) | (above & (value >= high))
    # "<0.01" is within 0-0.04 but may be below 2: only a limit of 0 or none leaves no room below.
    maybe_low = below & (low > 0)
    maybe_high = above & high.is_not_null()
    return (
        pl.when(where & value.is_not_null() & any_limit)
        .then(
            pl.when((surely_low & ~above).fill_null(False))
            .then(pl.lit("LOW"))
            .when((surely_high & ~below).fill_null(False))
            .then(pl.lit("HIGH"))
            .when((maybe_low | maybe_high).fill_null(False))
            .then(None)
            .when(((value < low) | (value > high)).fill_null(False))
            .then(None)
            .otherwise(pl.lit("NORMAL"))
        )
        .cast(pl.String)
    )


def _by_flag(flag: pl.Expr) -> pl.Expr:
    words = ((HIGH_FLAG, "HIGH"), (LOW_FLAG, "LOW"), (ABNORMAL_FLAG, "ABNORMAL"), (NORMAL_FLAG, "NORMAL"))
    return pl.coalesce(*(pl.when(flag.str.contains(pattern)).then(pl.lit(word)) for pattern, word in words))


def _by_words(result: pl.Expr) -> pl.Expr:
    abnormal = pl.when(result.str.contains(ABNORMAL_WORDS)).then(pl.lit("ABNORMAL"))
    return pl.coalesce(abnormal, pl.when(result.str.contains(NORMAL_WORDS)).then(pl.lit("NORMAL")))


def latest(rows: pl.DataFrame) -> pl.DataFrame:
    """The latest result of each component of each case, oldest first."""
    newest = rows.unique(["evidence_id", "component_name"], keep="last", maintain_order=True)
    return newest.sort("evidence_id", "before_s", "row", descending=[False, True, False])


def pending(evidence: Evidence) -> pl.DataFrame:
    """Lab orders without a result by the cutoff: known from orders only, never from results that came later."""
    return evidence.orders.filter((pl.col("kind") == "lab") & ~pl.col("resulted"))


def _features(evidence: Evidence) -> pl.DataFrame:
    rows = judged(evidence.labs)
    last = latest(rows).with_columns(abnormal=(pl.col("level") != "NORMAL").fill_null(False))
    in_panel = {key: pl.col("panel") == key for key in PANELS}
    counts = last.group_by("evidence_id").agg(
        resulted=pl.len(),
        abnormal=pl.col("abnormal").sum(),
        critical=pl.col("critical").sum(),
        high=(pl.col("level") == "HIGH").sum(),
        low=(pl.col("level") == "LOW").sum(),
        share_abnormal=pl.col("abnormal").mean(),
        since_min=pl.col("before_s").min() / 60,
        **{f"{key}_resulted": inside.sum() for key, inside in in_panel.items()},
        **{f"{key}_abnormal": (inside & pl.col("abnormal")).sum() for key, inside in in_panel.items()},
    )
    repeats = rows.group_by("evidence_id").agg(results=pl.len())
    waiting = pending(evidence).group_by("evidence_id").agg(pending=pl.len())
    found = evidence.ids.join(counts, on="evidence_id", how="left")
    for part in (repeats, waiting, _values(last), _troponin_ratio(last)):
        found = found.join(part, on="evidence_id", how="left")
    zero = ["resulted", "abnormal", "critical", "pending", "results"]
    return found.with_columns(pl.col(name).fill_null(0) for name in zero)


def _values(last: pl.DataFrame) -> pl.DataFrame:
    """The latest number of each common test (of two spellings of one test, the later)."""
    numbers = last.filter(pl.col("key").is_not_null() & pl.col("value").is_not_null())
    numbers = numbers.unique(["evidence_id", "key"], keep="last", maintain_order=True)
    return numbers.group_by("evidence_id").agg(
        pl.col("value").filter(pl.col("key") == entry.key).last().alias(entry.key) for entry in COMPONENTS
    )


def _troponin_ratio(last: pl.DataFrame) -> pl.DataFrame:
    """Troponin over its upper limit: assays differ in unit, limits do not."""
    rows = last.filter((pl.col("key") == "troponin") & (pl.col("nml_high") > 0) & pl.col("value").is_not_null())
    return rows.group_by("evidence_id").agg(troponin_ratio=(pl.col("value") / pl.col("nml_high")).last())


def label(row: Row) -> str:
    """The words for a component: the common name of a common test, else the record's own."""
    found = row["key"]
    name = (row["component_name"] or row["display_name"] or "unnamed test") if found is None else BY_KEY[found].label
    return shorten(name, LONGEST_NAME)


def result(row: Row, limits: bool = False) -> str:
    """`potassium HIGH 5.6 mmol/L`, with the record's limits where asked and known."""
    words = [label(row), *(["CRITICAL"] if row["critical"] else []), *([row["level"]] if row["level"] else [])]
    text = f"{' '.join(words)} {amount_of(row)}"
    return text + (_limits(row["nml_low"], row["nml_high"]) if limits else "")


def _limits(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" ({plain(low)}-{plain(high)})"
    if low is not None:
        return f" (from {plain(low)})"
    return "" if high is None else f" (up to {plain(high)})"


def amount_of(row: Row) -> str:
    """A result as recorded: sign, number and unit, or its words."""
    if row["value"] is None:
        return shorten(row["component_result"] or "no value", LONGEST_RESULT)
    unit = f" {shorten(row['component_units'], LONGEST_UNIT)}" if row["component_units"] else ""
    return f"{row['sign'] or ''}{plain(row['value'])}{unit}"


def urgency(row: Row) -> tuple[int, int]:
    """Sort key: critical, then out of range, then unknown, then normal; the newest first."""
    rank = 0 if row["critical"] else {"NORMAL": 3, None: 2}.get(row["level"], 1)
    return (rank, row["before_s"])


def _describe(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    last = lists_of(evidence, latest(judged(evidence.labs)))
    waiting = lists_of(evidence, pending(evidence))
    for row, results, orders in zip(rows_of(columns), last, waiting, strict=True):
        yield _text(row, sorted(results, key=urgency), orders)._replace(further_rows={"orders": rows_in(orders)})


def _text(row: Row, results: list[Row], orders: list[Row]) -> Text:
    n_pending = count_of(len(orders), "order") + " pending"
    if not results:
        word = (
            f"PENDING: no result by the cutoff; {n_pending}" if orders else "NONE: no lab result or order by the cutoff"
        )
        return Text(word, _pending_line(orders))
    bad = [entry for entry in results if urgency(entry)[0] < 2]
    lines = (*_panel_lines(results, bad[:IN_PANELS]), *_pending_line(orders), _last_line(row))
    return Text(_headline(row, bad, len(results), len(orders)), lines, rows_in(results))


def _headline(row: Row, bad: list[Row], resulted: int, pending: int) -> str:
    level = "CRITICAL" if whole(row["critical"]) else "ABNORMAL" if bad else "NORMAL"
    parts = [f"{len(bad)} of {resulted} abnormal"]
    if whole(row["critical"]):
        parts.append(f"{whole(row['critical'])} critical")
    if pending:
        parts.append(f"{pending} pending")
    return (
        f"{level}: {', '.join(parts)}" + ("; " if bad else "") + ", ".join(result(entry) for entry in bad[:IN_HEADLINE])
    )


def _panel_lines(results: list[Row], said: list[Row]) -> Iterator[str]:
    """One line per panel; of the out-of-range results the most urgent of all panels are said."""
    said_rows = {entry["row"] for entry in said}
    by_panel: dict[str, list[Row]] = defaultdict(list)
    for entry in results:
        by_panel[entry["panel"]].append(entry)
    for key, heading in PANELS.items():
        if entries := by_panel.get(key):
            yield f"{heading}: {_panel_words(entries, said_rows)}."


def _panel_words(entries: list[Row], said_rows: set[int]) -> str:
    abnormal = sum(urgency(entry)[0] < 2 for entry in entries)
    # A normal troponin says as much as a raised one.
    telling = [entry for entry in entries if entry["key"] in TELLING and entry["level"] == "NORMAL"]
    shown = [entry for entry in entries if entry["row"] in said_rows] + telling
    counts = f"{len(entries)} resulted, {abnormal} abnormal"
    return counts + (": " if shown else "") + ", ".join(result(entry) for entry in shown)


def _pending_line(orders: list[Row]) -> tuple[str, ...]:
    names = list(dict.fromkeys(shorten(order["procedure_name"] or "unnamed", LONGEST_NAME) for order in orders))
    more = [f"{len(names) - IN_LIST} more"] if len(names) > IN_LIST else []
    return (f"Pending: {', '.join([*names[:IN_LIST], *more])}.",) if names else ()


def _last_line(row: Row) -> str:
    return f"Last result {minutes(row['since_min'])} before the cutoff."


FUNCTIONS = (
    ClinicalFunction(
        MENU["labs"],
        "labs",
        _features,
        _describe,
        further_tables=("orders",),
    ),
)
