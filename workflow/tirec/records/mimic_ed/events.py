"""From vitalsign, pyxis, medrecon and diagnosis to `numerics`, `orders`, `meds` and `pmh`."""

import polars as pl

from tirec.records.buckets import merged
from tirec.records.ledger import split_by_reason
from tirec.records.mimic_ed import words
from tirec.records.mimic_ed.files import MEDRECON, PYXIS, VITALS, VITALSIGN
from tirec.records.mimic_ed.reading import Source
from tirec.records.schema import MEDS, NUMERICS, ORDERS, PMH

DAY_S = 86_400
NO_CODE = ("0", "")


def numerics(source: Source, stays: pl.DataFrame, triage: pl.DataFrame) -> pl.DataFrame:
    """`numerics`: every value of vitalsign as a Monitor row, and the pain of triage as a Chart row at arrival.

    MIMIC-IV-ED has one table of vital signs and does not say which came from a monitor; decompensation needs monitor
    rows. Rows before arrival and after departure are dropped, as everywhere.
    """
    time = pl.col("charttime")
    outside = {"before arrival": time < pl.col("arrival"), "after departure": time > pl.col("departure")}
    charted = source.of_stays(VITALSIGN, stays)
    inside = split_by_reason(charted, outside, source.ledgers["vitalsign"])
    source.keep(VITALSIGN, inside.height)
    _note_vitals(source, charted)
    timed = inside.with_columns(time_s=time - pl.col("arrival"), Pain=words.pain(pl.col("pain")))
    measured = [_values(timed, column, measure, "Monitor") for column, measure in VITALS.items()]
    arrived = triage.with_columns(time_s=pl.lit(0, pl.Int64), Pain=words.pain(pl.col("pain")))
    pains = [_values(timed, "Pain", "Pain", "Monitor"), _values(arrived, "Pain", "Pain", "Chart")]
    _note_pains(source, pl.concat([timed.select("pain", "Pain"), arrived.select("pain", "Pain")]))
    return merged(NUMERICS, pl.concat([*measured, *pains]))


def _values(rows: pl.DataFrame, column: str, measure: str, kind: str) -> pl.DataFrame:
    named = rows.select(
        "row", "csn", source=pl.lit(kind), measure=pl.lit(measure), value=pl.col(column), time_s="time_s"
    )
    return named.filter(pl.col("value").is_not_null())


def _note_vitals(source: Source, charted: pl.DataFrame) -> None:
    last = charted.group_by("csn").agg(late=pl.col("charttime").max() > pl.col("departure").first())
    source.note("numerics", "stays with any row of vitalsign", last.height)
    source.note("numerics", "stays whose last row of vitalsign is after departure", int(last["late"].sum()))


def _note_pains(source: Source, pains: pl.DataFrame) -> None:
    said = pains.filter(pl.col("pain").is_not_null())
    source.note("numerics", "pain that is a number or a word for none", said["Pain"].count())
    source.note("numerics", "pain in other words, left out", said["Pain"].null_count())


def orders(source: Source, stays: pl.DataFrame) -> pl.DataFrame:
    """`orders`: one medication order per dispensing of pyxis, given when it was dispensed.

    A dispensing has one row per code (gsn_rn); the first code stands.
    """
    rows = source.of_stays(PYXIS, stays)
    early, late = pl.col("charttime") < pl.col("arrival"), pl.col("charttime") > pl.col("departure")
    source.note("orders", "rows of pyxis before arrival", rows.filter(early).height)
    source.note("orders", "rows of pyxis after departure", rows.filter(late).height)
    single = _first(source, rows, PYXIS.name, "another code of the same dispensing", "med_rn", "gsn_rn")
    source.keep(PYXIS, single.height)
    since = pl.col("charttime") - pl.col("arrival")
    made = single.select(
        "row", "csn", order_s=since, order_type=pl.lit("Medication"), procedure_name="name",
        procedure_id=_code("gsn"), first_admin_s=since, result_s=pl.lit(None, pl.Int64),
    )  # fmt: skip
    return merged(ORDERS, made)


def _first(source: Source, rows: pl.DataFrame, file: str, reason: str, *order: str) -> pl.DataFrame:
    """One row per stay, time and name, and per `order` but its last, which says what comes first."""
    ranked = rows.sort("csn", "charttime", "name", *order, "row")
    single = ranked.unique(["csn", "charttime", "name", *order[:-1]], keep="first", maintain_order=True)
    source.ledgers[file].drop(reason, rows.height - single.height)
    return single


def _code(name: str) -> pl.Expr:
    """A code as text, because codes begin with 0; `0` alone is none."""
    return pl.when(~pl.col(name).is_in(NO_CODE)).then(pl.col(name))


def meds(source: Source, stays: pl.DataFrame) -> pl.DataFrame:
    """`meds`: what medrecon says a patient took, entered on the day it was asked.

    By the rule of home medications (entered before the arrival day) later stays see it, the stay itself does not.
    """
    rows = source.of_stays(MEDRECON, stays)
    source.note("meds", "rows of medrecon with ndc 0, left blank", rows.filter(pl.col("ndc") == "0").height)
    classes = rows.sort("etc_rn", "row").group_by("csn", "charttime", "name").agg(classes="etcdescription")
    single = _first(source, rows, MEDRECON.name, "another class of the same medicine", "etc_rn")
    source.keep(MEDRECON, single.height)
    joined = single.join(classes, on=["csn", "charttime", "name"], how="left", maintain_order="left", nulls_equal=True)
    further = pl.col("classes").list.slice(1).list.drop_nulls().list.join("; ")
    made = joined.select(
        "row", "mrn", med_id=pl.lit(None, pl.Int64), ndc=_code("ndc"), name="name",
        generic_name=pl.lit(None, pl.String), med_class="etcdescription",
        med_subclass=pl.when(further.str.len_bytes() > 0).then(further), active=pl.lit(None, pl.String),
        entry_day=(pl.col("charttime") // DAY_S).cast(pl.Int32), start_day=pl.lit(None, pl.Int32),
        end_day=pl.lit(None, pl.Int32),
    )  # fmt: skip
    return merged(MEDS, made)


def history(diagnoses: pl.DataFrame) -> pl.DataFrame:
    """`pmh`: the diagnoses of a stay, noted on the day it ended, so that later stays see them."""
    version = pl.col("icd_version").replace_strict({"9": "Dx9", "10": "Dx10"}, default=None, return_dtype=pl.String)
    noted = pl.coalesce("departure", "arrival") // DAY_S
    made = diagnoses.select(
        "row", "mrn", noted_day=noted.cast(pl.Int32), code_type=version, code="icd_code", desc10="icd_title",
        ccs=pl.lit(None, pl.Float64), desc_ccs=pl.lit(None, pl.String),
    )  # fmt: skip
    return merged(PMH, made)
