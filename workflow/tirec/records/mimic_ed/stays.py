"""From edstays, triage and diagnosis to `visits`: one row per stay, and when the same patient came back."""

from pathlib import Path

import polars as pl

from tirec.errors import DataError
from tirec.records.mimic_ed import words
from tirec.records.mimic_ed.files import DIAGNOSIS, EDSTAYS, TRIAGE, VITALS
from tirec.records.mimic_ed.reading import Source
from tirec.records.reading import require_single
from tirec.records.schema import VISITS
from tirec.records.vitals import celsius

DAY_S = 86_400


def read_stays(source: Source) -> pl.DataFrame:
    """The rows of edstays, one per stay; an unknown disposition or two different rows of one stay are errors."""
    stays = source.rows(EDSTAYS)
    file = source.ledgers["edstays"].file
    require_single(EDSTAYS, stays, "csn", file)
    source.keep(EDSTAYS, stays.height)
    _check_dispositions(stays, file)
    return stays.with_columns(arrival="intime", departure="outtime")


def _check_dispositions(stays: pl.DataFrame, file: Path) -> None:
    unknown = stays.filter(~pl.col("disposition").is_in(list(words.DISPOSITIONS))).sort("row")
    if not unknown.is_empty():
        raise DataError(
            f"{file}: column disposition, row {unknown['row'][0]}: none of {', '.join(words.DISPOSITIONS)}; "
            f"{unknown.height} rows have a disposition that no rule knows"
        )


def read_triage(source: Source, stays: pl.DataFrame) -> pl.DataFrame:
    """The rows of triage, one per stay."""
    triage = source.of_stays(TRIAGE, stays.select("csn", "mrn", "arrival", "departure"))
    require_single(TRIAGE, triage, "csn", source.ledgers["triage"].file)
    source.keep(TRIAGE, triage.height)
    _note_temperatures(source, triage)
    source.note("visits", "triage rows without any vital sign", _empty(triage, list(VITALS)))
    unknown = pl.col("acuity").is_not_null() & ~_level().is_in(list(words.ACUITY))
    source.note("visits", "triage acuity that is none of 1 to 5, left blank", triage.select(unknown.sum()).item())
    return triage


def _empty(frame: pl.DataFrame, columns: list[str]) -> int:
    return frame.filter(pl.all_horizontal(pl.col(columns).is_null())).height


def _note_temperatures(source: Source, triage: pl.DataFrame) -> None:
    """The unit is decided value by value, because the column mixes two and names none (mimic-code issue 1079)."""
    given, read = triage["temperature"], triage.select(celsius(pl.col("temperature"))).to_series()
    source.note("visits", "triage temperatures taken as degrees Celsius", int((given == read).sum()))
    source.note("visits", "triage temperatures converted from degrees Fahrenheit", int((given != read).sum()))
    impossible = int((given.is_not_null() & read.is_null()).sum())
    source.note("visits", "triage temperatures possible in neither unit, left blank", impossible)


def read_diagnoses(source: Source, stays: pl.DataFrame) -> pl.DataFrame:
    """The rows of diagnosis, with the times of their stay."""
    diagnoses = source.of_stays(DIAGNOSIS, stays.select("csn", "mrn", "arrival", "departure"))
    source.keep(DIAGNOSIS, diagnoses.height)
    without = stays.join(diagnoses, on="csn", how="anti").height
    source.note("visits", "stays without a diagnosis", without)
    return diagnoses


def visits(source: Source, stays: pl.DataFrame, triage: pl.DataFrame, diagnoses: pl.DataFrame) -> pl.DataFrame:
    """The table `visits`, sorted by csn; what MIMIC-IV-ED does not have stays null."""
    joined = following(stays).join(triage.drop("row", "mrn", "arrival", "departure"), on="csn", how="left")
    joined = joined.join(_first_diagnosis(diagnoses), on="csn", how="left").with_columns(*_stay(), *_triage())
    source.note("visits", "stays that touch or overlap the patient's next stay", _continued(joined))
    for column, known in (("race", words.race(pl.col("race_words"))), ("arrival_transport", _arrival())):
        unknown = pl.col("race_words" if column == "race" else column).is_not_null() & known.is_null()
        source.note("visits", f"{column} in words that no line knows, left blank", joined.select(unknown.sum()).item())
    absent = [pl.lit(None).alias(name) for name in VISITS.schema if name not in joined.columns]
    return joined.with_columns(absent).select(_typed()).sort("csn")


def _continued(joined: pl.DataFrame) -> int:
    return joined.filter(pl.col("hours_to_next_visit") <= 0).height


def _typed() -> list[pl.Expr]:
    return [pl.col(name).cast(kind) for name, kind in VISITS.schema.items()]


def following(stays: pl.DataFrame) -> pl.DataFrame:
    """Adds visit_no, visits and hours_to_next_visit.

    The clock starts when all of the patient's stays so far are over, so that stays which touch or overlap are one
    chain: within it the hours are 0 or less (no return, and no discharge either: cohort rule 21 leaves the stay out);
    the last stay of a chain has the hours to the next one.
    """
    ordered = stays.sort("mrn", "intime", "csn").with_columns(over=pl.coalesce("outtime", "intime"))
    until = pl.col("over").cum_max().over("mrn")
    return ordered.with_columns(
        visit_no=pl.int_range(1, pl.len() + 1).over("mrn"),
        visits=pl.len().over("mrn"),
        hours_to_next_visit=(pl.col("intime").shift(-1).over("mrn") - until) / 3600,
    )


def _first_diagnosis(diagnoses: pl.DataFrame) -> pl.DataFrame:
    first = diagnoses.sort("csn", "seq_num", "row").unique("csn", keep="first", maintain_order=True)
    code = pl.col("icd_code")
    return first.select(
        "csn",
        dx_icd9=pl.when(pl.col("icd_version") == "9").then(code),
        dx_icd10=pl.when(pl.col("icd_version") == "10").then(code),
        dx_name="icd_title",
    )


def _arrival() -> pl.Expr:
    return pl.col("arrival_transport").replace_strict(words.ARRIVAL, default=None, return_dtype=pl.String)


def _level() -> pl.Expr:
    """`2` and `2.0` are one level."""
    return pl.col("acuity").str.replace(r"\.0+$", "")


def _stay() -> list[pl.Expr]:
    """Columns from edstays. Rooming = arrival; decision and admission have no time of their own."""
    seconds = pl.col("outtime") - pl.col("intime")
    kinds = {what: pair[0] for what, pair in words.DISPOSITIONS.items()}
    finals = {what: pair[1] for what, pair in words.DISPOSITIONS.items()}
    disposition = pl.col("disposition")
    return [
        words.race(pl.col("race")).alias("race"),
        pl.col("race").alias("race_words"),
        words.ethnicity(pl.col("race")).alias("ethnicity"),
        _arrival().alias("means_of_arrival"),
        disposition.replace_strict(kinds, default=None, return_dtype=pl.String).alias("ed_dispo"),
        disposition.replace_strict(finals, default=None, return_dtype=pl.String).alias("dc_dispo"),
        (seconds / 3600).alias("ed_los"),
        pl.col("intime").alias("arrival_abs_s"),
        (pl.col("intime") // DAY_S).alias("arrival_day"),
        pl.lit(0).alias("roomed_s"),
        seconds.alias("departure_s"),
    ]


def _triage() -> list[pl.Expr]:
    names = {"heartrate": "hr", "resprate": "rr", "o2sat": "spo2", "sbp": "sbp", "dbp": "dbp"}
    return [
        celsius(pl.col("temperature")).alias("triage_temp_c"),
        *(pl.col(column).alias(f"triage_{name}") for column, name in names.items()),
        _level().replace_strict(words.ACUITY, default=None, return_dtype=pl.String).alias("triage_acuity"),
        words.complaint(pl.col("chiefcomplaint")).alias("cc"),
    ]
