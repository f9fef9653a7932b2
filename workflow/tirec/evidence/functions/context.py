"""Who came and how they looked at the door: `demographics` and `triage`, which say what the initial view says."""

import re
from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions.function import ClinicalFunction, Row, Text, rows_of, source_rows
from tirec.evidence.functions.vitals import readings
from tirec.evidence.menu import MENU
from tirec.evidence.segments import statistics
from tirec.evidence.vocabulary.vitals import (
    HEART_RATE,
    MEAN_PRESSURE,
    OXYGEN_SATURATION,
    RESPIRATORY_RATE,
    SYSTOLIC,
    TEMPERATURE,
    worst,
)
from tirec.evidence.window import Evidence
from tirec.evidence.wording import known, minutes, number, shorten, whole

SEX = {"F": "female", "M": "male"}
ACUITY = {1: "RESUSCITATION", 2: "EMERGENT", 3: "URGENT", 4: "SEMI-URGENT", 5: "NON-URGENT"}
TRIAGE_VITALS = {
    "heart_rate": ("HR", HEART_RATE),
    "respiratory_rate": ("RR", RESPIRATORY_RATE),
    "spo2": ("SpO2", OXYGEN_SATURATION),
    "temperature": ("temp", TEMPERATURE),
}
"""Column of `triage`, short words and vital sign of each triage value but the pressure."""
LONGEST_COMPLAINT = 120


def slug(phrase: str) -> str:
    """A complaint phrase as part of a column name."""
    return re.sub(r"[^a-z0-9]+", "_", phrase.lower()).strip("_")


def phrases(complaint: str | None) -> tuple[str, ...]:
    """The phrases of a chief complaint, upper case, in order, each once."""
    parts = (" ".join(part.split()).upper() for part in (complaint or "").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def _demographics(evidence: Evidence) -> pl.DataFrame:
    gender, means = pl.col("gender").str.to_uppercase(), pl.col("means_of_arrival").str.to_uppercase()
    return evidence.visit.select(
        "evidence_id",
        "age",
        male=pl.when(gender.is_in(["F", "M"])).then(gender == "M"),
        ambulance=means == "EMS",
    )


def _age_word(age: float) -> str:
    if not known(age):
        return "AGE UNKNOWN"
    words = ((40, "YOUNG"), (65, "MIDDLE-AGED"), (80, "OLD"))
    return next((word for limit, word in words if age < limit), "VERY OLD")


def sex_word(gender: str | None) -> str:
    """The recorded sex in words."""
    return SEX.get((gender or "").upper(), "unknown")


def arrival_word(means: str | None) -> str:
    """How the patient arrived, in words."""
    said = {"EMS": "EMS (ambulance)", "SELF": "self"}
    return said.get((means or "").upper(), shorten(means, 40) if means else "unknown")


def _describe_demographics(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    for row, visit in zip(rows_of(columns), rows_of(evidence.visit), strict=True):
        age = f"{number(row['age'])} years" if known(row["age"]) else "age unknown"
        sex, arrived = sex_word(visit["gender"]), arrival_word(visit["means_of_arrival"])
        yield Text(f"{_age_word(row['age'])}: {age}, sex {sex}, arrival by {arrived}", rows=(visit["row"],))


def _triage(evidence: Evidence) -> pl.DataFrame:
    upper, lower = pl.col("triage_sbp"), pl.col("triage_dbp")
    spoken = {phrase: slug(phrase) for phrase in evidence.complaints}
    padded = pl.format(",{},", pl.col("cc").fill_null("").str.to_uppercase().str.replace_all(r"\s*,\s*", ","))
    pain = statistics(readings(evidence, "Pain"), 0, 3).select(
        "evidence_id", pain=pl.col("last"), pain_since_min=pl.col("since_min"), row_pain=pl.col("row_last")
    )
    return evidence.visit.select(
        "evidence_id",
        acuity=pl.col("triage_acuity").str.extract(r"^\s*([1-5])\b").cast(pl.Float64),
        heart_rate="triage_hr",
        respiratory_rate="triage_rr",
        spo2="triage_spo2",
        sbp=upper,
        dbp=lower,
        map=(upper + 2 * lower) / 3,
        shock_index=pl.col("triage_hr") / upper,
        temperature="triage_temp",
        complaint_phrases=pl.col("cc").str.count_matches(",") + 1,
        **{f"complaint_{name}": padded.str.contains(f",{phrase},", literal=True) for phrase, name in spoken.items()},
    ).join(pain, on="evidence_id", how="left", maintain_order="left")


def pressure_level(row: Row) -> str:
    """Level of a triage pressure: the worse of systolic and mean."""
    levels = [SYSTOLIC.level(row["sbp"])] if known(row["sbp"]) else []
    return worst([*levels, MEAN_PRESSURE.level(row["map"])] if known(row["map"]) else levels or ["NORMAL"])


def triage_vitals(row: Row) -> list[str]:
    """The triage values that exist, short, with units and levels: `HR 88 /min NORMAL`."""
    said = {
        name: f"{short} {number(row[name], vital.decimals)} {vital.unit} {vital.level(row[name])}"
        for name, (short, vital) in TRIAGE_VITALS.items()
        if known(row[name])
    }
    if known(row["sbp"]):
        lower = number(row["dbp"]) if known(row["dbp"]) else "?"
        said["pressure"] = f"BP {number(row['sbp'])}/{lower} mmHg {pressure_level(row)}"
    order = ("heart_rate", "pressure", "spo2", "respiratory_rate", "temperature")
    return [said[name] for name in order if name in said]


def acuity_words(row: Row) -> str:
    """`acuity 2`, or that it is unknown."""
    return f"acuity {whole(row['acuity'])}" if known(row["acuity"]) else "acuity unknown"


def complaint_words(complaint: str | None) -> str:
    """The chief complaint's phrases, shortened where there are many."""
    return shorten(", ".join(phrases(complaint)), LONGEST_COMPLAINT) or "none recorded"


def _describe_triage(evidence: Evidence, columns: pl.DataFrame) -> Iterator[Text]:
    for row, visit in zip(rows_of(columns), rows_of(evidence.visit), strict=True):
        level = ACUITY.get(whole(row["acuity"]), "UNKNOWN")
        said = [acuity_words(row), *(triage_vitals(row) or ["no triage vital signs"])]
        pain = f"pain {number(row['pain'])} of 10" if known(row["pain"]) else "pain not charted"
        headline = f"{level}: {'; '.join([*said, pain])}; complaint {complaint_words(visit['cc'])}"
        lines = (f"Pain charted {minutes(row['pain_since_min'])} before the cutoff.",) if known(row["pain"]) else ()
        yield Text(headline, lines, (visit["row"],), further_rows={"numerics": source_rows(row["row_pain"])})


FUNCTIONS = (
    ClinicalFunction(
        MENU["demographics"],
        "visits",
        _demographics,
        _describe_demographics,
    ),
    ClinicalFunction(
        MENU["triage"],
        "visits",
        _triage,
        _describe_triage,
        further_tables=("numerics",),
    ),
)
