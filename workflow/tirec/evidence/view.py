"""The initial view: what the agent is told about a case before it asks for anything."""

from collections.abc import Iterator

import polars as pl

from tirec.evidence.functions import REGISTRY
from tirec.evidence.functions.context import (
    ACUITY,
    TRIAGE_VITALS,
    acuity_words,
    arrival_word,
    complaint_words,
    pressure_level,
    sex_word,
    triage_vitals,
)
from tirec.evidence.functions.function import Row, rows_of
from tirec.evidence.window import Evidence
from tirec.evidence.wording import known, number, shorten, whole

SHORT_COMPLAINT = 60


def initial_view(evidence: Evidence) -> pl.DataFrame:
    """evidence_id and initial_view: age, sex, arrival means, acuity, triage vital signs, chief complaint.

    With `observations.style: headline` one short line, with the triage vital signs that are out of range only.
    """
    tell = _short if evidence.rules.observations.style == "headline" else _full
    views = [tell(triage, visit) for triage, visit in _cases(evidence)]
    return evidence.ids.with_columns(pl.Series("initial_view", views, dtype=pl.String))


def _cases(evidence: Evidence) -> Iterator[tuple[Row, Row]]:
    columns = REGISTRY["triage"].columns(evidence)
    bare = columns.rename({name: name.removeprefix("triage__") for name in columns.columns})
    return zip(rows_of(bare), rows_of(evidence.visit), strict=True)


def _short(triage: Row, visit: Row) -> str:
    age = number(visit["age"]) if known(visit["age"]) else "unknown"
    who = f"age {age} {(visit['gender'] or 'U').upper()}"
    arrived = shorten(visit["means_of_arrival"] or "arrival unknown", 20)
    complaint = shorten(complaint_words(visit["cc"]), SHORT_COMPLAINT)
    alarming = [words for words in triage_vitals(triage) if not words.endswith(" NORMAL")]
    return "; ".join([who, arrived, acuity_words(triage), *alarming, f"complaint {complaint}"])


def _full(triage: Row, visit: Row) -> str:
    age = f"{number(visit['age'])} years" if known(visit["age"]) else "unknown"
    return (
        f"Age {age}, sex {sex_word(visit['gender'])}, arrival by {arrival_word(visit['means_of_arrival'])}.\n"
        f"Triage acuity: {_acuity(triage)}. Triage vital signs: {'; '.join(_vitals(triage)) or 'none recorded'}.\n"
        f"Chief complaint: {complaint_words(visit['cc'])}."
    )


def _acuity(triage: Row) -> str:
    level = whole(triage["acuity"])
    return f"{level} of 5 ({ACUITY[level].lower()})" if level else "unknown"


def _vitals(triage: Row) -> Iterator[str]:
    """Triage values in full words with units and levels."""
    for name, (_, vital) in TRIAGE_VITALS.items():
        if known(triage[name]):
            shown = number(triage[name], vital.decimals)
            yield f"{vital.label} {shown} {vital.unit} ({vital.level(triage[name])})"
    if known(triage["sbp"]):
        lower = number(triage["dbp"]) if known(triage["dbp"]) else "?"
        yield f"blood pressure {number(triage['sbp'])}/{lower} mmHg ({pressure_level(triage)})"
