"""The as-of window: the one door through which models, trees and agents see a record.

`gather` keeps what was available at each cutoff (cohort rules 5-14) from an allow-list of columns, blanks later stamps
and turns absolute dates into spans before the cutoff. Nothing else in `tirec.evidence` reads a record table.
"""

from dataclasses import dataclass, field

import polars as pl

from tirec.config.evidence import EvidenceConfig, OrderRules
from tirec.errors import DataError
from tirec.evidence.vocabulary.orders import order_kind
from tirec.evidence.wording import one_line
from tirec.records.schema import ADMITTING, MEASURES, Tables
from tirec.records.vitals import celsius, in_range, mean_arterial_pressure, valid

CUTOFF_COLUMNS = ("evidence_id", "csn", "mrn", "cutoff_s")
SOURCES = ("Chart", "Monitor")
TRIAGE = {"hr": "HR", "rr": "RR", "spo2": "SpO2", "sbp": "SBP", "dbp": "DBP"}
DAY_S = 86_400
WIDE = pl.Float64
"""Arithmetic is done in 64 bits: in 32, a division may come out differently in a frame of one row and of many."""

VISIT_COLUMNS = ("age", "gender", "means_of_arrival", "triage_acuity", "cc")
LAB_COLUMNS = (
    "row",
    "result_s",
    "display_name",
    "component_name",
    "component_result",
    "value",
    "sign",
    "component_units",
    "component_abnormal",
    "nml_low",
    "nml_high",
)
PMH_COLUMNS = ("row", "code_type", "code", "desc10", "desc_ccs")
MEDS_COLUMNS = ("row", "name", "generic_name", "med_class", "med_subclass")


@dataclass(frozen=True)
class Evidence:
    """What was available at each cutoff; every frame is keyed and sorted by evidence_id.

    `before_s` is the time from an event to the cutoff in seconds, never negative; `row` numbers source rows.
    """

    visit: pl.DataFrame
    """One row per evidence_id: cutoff_s, row, age, gender, means_of_arrival, triage values (valid ones), cc."""
    numerics: pl.DataFrame
    """Valid readings (temperature in °C, MAP by rule 6): measure, source, value, before_s; oldest first."""
    orders: pl.DataFrame
    """kind (lab, imaging, medication, other), order_type, procedure_name, before_s, given, resulted; oldest first."""
    labs: pl.DataFrame
    """Component results that are back, oldest first."""
    rads: pl.DataFrame
    """Imaging reports that are back, oldest first."""
    meds: pl.DataFrame
    """Home medications before the arrival day: names, classes, days_before."""
    pmh: pl.DataFrame
    """Diagnoses noted before the arrival day: codes, descriptions, days_before."""
    earlier: pl.DataFrame
    """Visits of the same patient that departed before this arrival: days_before, admitted, cc."""
    rules: EvidenceConfig = field(default_factory=EvidenceConfig)
    complaints: tuple[str, ...] = ()
    """Complaint phrases that are columns of `triage`."""

    @property
    def ids(self) -> pl.DataFrame:
        """The evidence_id column alone: every frame of columns or texts has exactly these rows."""
        return self.visit.select("evidence_id")


def gather(tables: Tables, cutoffs: pl.DataFrame, rules: EvidenceConfig, complaints: tuple[str, ...] = ()) -> Evidence:
    """The evidence at each cutoff (columns evidence_id, csn, mrn, cutoff_s; seconds from arrival).

    Raises DataError where a cutoff names a visit that the tables lack.
    """
    frames = tables.for_visits(cutoffs["csn"].unique()).collect()
    keys = _keys(frames["visits"], cutoffs)
    return Evidence(
        visit=_visit(frames["visits"], keys),
        numerics=_numerics(frames["numerics"], keys),
        orders=_orders(frames["orders"], keys, rules.orders),
        labs=_labs(frames["labs"], keys),
        rads=_rads(frames["rads"], keys),
        meds=_meds(frames["meds"], keys),
        pmh=_pmh(frames["pmh"], keys, rules.history_margin_days),
        earlier=_earlier(frames["visits"], keys),
        rules=rules,
        complaints=complaints,
    )


def _keys(visits: pl.DataFrame, cutoffs: pl.DataFrame) -> pl.DataFrame:
    """The cutoffs with their arrivals, which other tables are compared with."""
    chosen = cutoffs.select(CUTOFF_COLUMNS).unique().sort("evidence_id")
    keys = chosen.join(visits.select("csn", "arrival_abs_s", "arrival_day"), on="csn", maintain_order="left")
    if keys.height != chosen.height or chosen["evidence_id"].n_unique() != chosen.height:
        raise DataError(
            f"cutoffs: {chosen.height} distinct cutoffs, {keys.height} with a visit, "
            f"{chosen['evidence_id'].n_unique()} evidence ids; make the instances again from these tables"
        )
    return keys


def _visit(visits: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    text = [one_line(pl.col(name)).alias(name) for name in VISIT_COLUMNS if name != "age"]
    arrived = visits.with_columns(pl.col("^triage_(hr|rr|spo2|sbp|dbp|temp_c)$").cast(WIDE))
    vitals = [
        pl.when(in_range(pl.col(f"triage_{name}"), measure)).then(pl.col(f"triage_{name}")).alias(f"triage_{name}")
        for name, measure in TRIAGE.items()
    ]
    shown = arrived.select("csn", "row", "age", *text, *vitals, celsius(pl.col("triage_temp_c")).alias("triage_temp"))
    return keys.select("evidence_id", "csn", "cutoff_s").join(shown, on="csn", maintain_order="left").drop("csn")


def _as_of(rows: pl.DataFrame, keys: pl.DataFrame, stamp: str) -> pl.DataFrame:
    """Rows stamped at or before the cutoff, with `before_s`; rows without a stamp are never available."""
    joined = rows.join(keys.select("evidence_id", "csn", "cutoff_s"), on="csn")
    seen = joined.filter(pl.col(stamp) <= pl.col("cutoff_s"))
    return seen.with_columns((pl.col("cutoff_s") - pl.col(stamp)).alias("before_s"))


def _numerics(numerics: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    columns = ["csn", "source", "measure", "time_s", "row", "value"]
    numerics = numerics.with_columns(pl.col("value").cast(WIDE))
    kinds = pl.Schema({"source": pl.Enum(SOURCES), "measure": pl.Enum(MEASURES)})
    measured = [valid(numerics, measure) for measure in MEASURES if measure != "MAP"]
    pressure = mean_arterial_pressure(numerics).with_columns(measure=pl.lit("MAP"))
    rows = [frame.select(columns).cast(kinds, strict=False) for frame in [*measured, pressure]]
    seen = _as_of(pl.concat(rows), keys, "time_s")
    # At one second the monitor's minute stands last, so that it is the latest.
    # Two pressures can come from one systolic row: only their values tell them apart.
    seen = seen.sort("measure", "evidence_id", "time_s", "source", "row", "value")
    return seen.select("evidence_id", "row", "source", "measure", "value", "before_s")


def _orders(orders: pl.DataFrame, keys: pl.DataFrame, rules: OrderRules) -> pl.DataFrame:
    names = orders.select("procedure_name").unique()
    hidden = [name for name in names["procedure_name"] if not rules.visible(name)]
    visible = orders.filter(~pl.col("procedure_name").is_in(hidden).fill_null(None in hidden))
    seen = _as_of(visible, keys, "order_s").sort("evidence_id", "order_s", "row")
    return seen.select(
        "evidence_id",
        "row",
        "before_s",
        order_kind(pl.col("order_type")).alias("kind"),
        one_line(pl.col("order_type")).alias("order_type"),
        one_line(pl.col("procedure_name")).alias("procedure_name"),
        (pl.col("first_admin_s") <= pl.col("cutoff_s")).fill_null(False).alias("given"),
        (pl.col("result_s") <= pl.col("cutoff_s")).fill_null(False).alias("resulted"),
    )


def _labs(labs: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    text = ("display_name", "component_name", "component_result", "component_units", "component_abnormal")
    # A result whose text is only in the value column is still a result.
    said = pl.coalesce(one_line(pl.col("component_result")), one_line(pl.col("component_value")))
    shown = labs.with_columns(component_result=said).select("csn", *LAB_COLUMNS)
    seen = _as_of(shown, keys, "result_s").sort("evidence_id", "result_s", "row")
    return seen.drop("csn", "cutoff_s", "result_s").with_columns(one_line(pl.col(name)) for name in text)


def _rads(rads: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    seen = _as_of(rads, keys, "result_s").sort("evidence_id", "result_s", "row")
    text = (one_line(pl.col(name)).alias(name) for name in ("study", "impression"))
    return seen.select("evidence_id", "row", "before_s", *text)


def _pmh(pmh: pl.DataFrame, keys: pl.DataFrame, margin_days: int) -> pl.DataFrame:
    joined = pmh.join(keys.select("evidence_id", "mrn", "arrival_day"), on="mrn")
    seen = joined.filter(pl.col("noted_day") < pl.col("arrival_day") - margin_days)
    seen = seen.with_columns((pl.col("arrival_day") - pl.col("noted_day")).alias("days_before"))
    return _listed(seen, PMH_COLUMNS)


def _meds(meds: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    joined = meds.join(keys.select("evidence_id", "mrn", "arrival_day"), on="mrn")
    entry, start, end, arrival = (pl.col(f"{name}_day") for name in ("entry", "start", "end", "arrival"))
    seen = joined.filter(
        entry < arrival, (start < arrival).fill_null(start.is_null()), (end >= arrival).fill_null(end.is_null())
    )
    seen = seen.with_columns((arrival - pl.coalesce(start, entry)).alias("days_before"))
    return _listed(seen, MEDS_COLUMNS)


def _listed(seen: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame:
    """History rows of one kind, newest first, their text on one line."""
    text = [one_line(pl.col(name)).alias(name) for name in columns if name != "row"]
    rows = seen.sort("evidence_id", "days_before", "row")
    return rows.select("evidence_id", "row", "days_before", *text)


def _earlier(visits: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    """Visits of the same patient whose departure, an absolute instant, lies before this arrival."""
    before = visits.filter(pl.col("departure_s") > 0).select(
        "mrn",
        "row",
        other=pl.col("csn"),
        departed=pl.col("arrival_abs_s") + pl.col("departure_s"),
        admitted=pl.col("ed_dispo").is_in(ADMITTING).fill_null(False),
        cc=one_line(pl.col("cc")),
    )
    joined = keys.select("evidence_id", "csn", "mrn", "arrival_abs_s").join(before, on="mrn")
    seen = joined.filter(pl.col("departed") < pl.col("arrival_abs_s"), pl.col("other") != pl.col("csn"))
    seen = seen.with_columns(((pl.col("arrival_abs_s") - pl.col("departed")) / DAY_S).alias("days_before"))
    ordered = seen.sort("evidence_id", "days_before", "row")
    return ordered.select("evidence_id", "row", "days_before", "admitted", "cc")
