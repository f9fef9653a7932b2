"""What each tree column means, and in which unit: one meaning for a column, or for a family of like columns."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tirec.errors import DataError
from tirec.evidence.vocabulary.vitals import (
    HEART_RATE,
    OXYGEN_SATURATION,
    PRESSURES,
    RESPIRATORY_RATE,
    TEMPERATURE,
    VITALS,
    Vital,
)
from tirec.evidence.wording import number


@dataclass(frozen=True)
class Meaning:
    """Columns of `function` whose names match `pattern`; its group `each` tells the members of a family apart."""

    function: str
    pattern: str
    unit: str
    words: str


def _statistics(function: str, vital: Vital, each: str = "") -> tuple[Meaning, ...]:
    """The statistics of one vital sign; `each` is a prefix for the three pressures."""
    unit, abnormal = vital.unit, "its normal band" if each else _band(vital)
    entries = (
        ("last", unit, "latest reading"),
        ("first", unit, "first reading"),
        ("min", unit, "lowest"),
        ("max", unit, "highest"),
        ("mean", unit, "mean"),
        ("sd", unit, "standard deviation"),
        ("slope", f"{unit} per hour", "least-squares slope; unknown where the readings span under 5 min"),
        ("change", unit, "the fitted change over all readings, by which a trend is rising or falling"),
        ("count", "readings", "valid readings"),
        ("since_min", "min", "from the latest reading to the cutoff"),
        ("share_abnormal", "0-1", f"share of the readings outside {abnormal}"),
        ("from_triage", unit, "latest reading minus the triage value"),
    )
    return tuple(Meaning(function, each + name, unit, words) for name, unit, words in entries)


def _band(vital: Vital) -> str:
    low, high = number(vital.low, vital.decimals), number(vital.high, vital.decimals)
    return f"{low}-{high} {vital.unit}"


def _last_readings(vital: Vital) -> tuple[Meaning, ...]:
    words = f"latest, second and third latest {vital.label}"
    return (
        Meaning("vital_sign_values", f"{vital.key}_(?P<each>[123])", vital.unit, words),
        Meaning("vital_sign_values", f"{vital.key}_(?P<each>[123])_min", "min", "from those readings to the cutoff"),
    )


MEANINGS = (
    Meaning("demographics", "age", "years", "age (90 stands for 90 and above)"),
    Meaning("demographics", "male", "0/1", "recorded sex: male 1, female 0, else unknown"),
    Meaning("demographics", "ambulance", "0/1", "arrival by ambulance (EMS)"),
    Meaning("triage", "acuity", "1-5", "triage acuity, 1 the most urgent"),
    Meaning("triage", "heart_rate|respiratory_rate", "/min", "triage value"),
    Meaning("triage", "spo2", "%", "triage oxygen saturation"),
    Meaning("triage", "(?P<each>sbp|dbp|map)", "mmHg", "triage pressure; map = (sbp + 2 dbp) / 3"),
    Meaning("triage", "shock_index", "ratio", "triage heart rate / systolic pressure"),
    Meaning("triage", "temperature", "°C", "triage temperature"),
    Meaning("triage", "complaint_phrases", "count", "phrases of the chief complaint"),
    Meaning("triage", "complaint_(?P<each>.+)", "0/1", "a frequent complaint phrase (counted on training visits only)"),
    Meaning("triage", "pain", "0-10", "latest charted pain"),
    Meaning("triage", "pain_since_min", "min", "from that pain to the cutoff"),
    *_statistics("heart_rate", HEART_RATE),
    Meaning("heart_rate", "hrv_(?P<each>1min_last|1min_mean|5min_last)", "ms", "heart rate variability of the monitor"),
    Meaning("heart_rate", "perfusion_(?P<each>last|mean|min)", "index", "perfusion index of the pulse oximeter"),
    *_statistics("blood_pressure", PRESSURES[0], "(?P<each>sbp|dbp|map)_"),
    *_statistics("oxygen_saturation", OXYGEN_SATURATION),
    Meaning("oxygen_saturation", "o2_flow_(?P<each>last|max)", "L/min", "supplemental oxygen"),
    Meaning("oxygen_saturation", "o2_flow_since_min", "min", "from the latest oxygen flow to the cutoff"),
    *_statistics("respiratory_rate", RESPIRATORY_RATE),
    *_statistics("temperature", TEMPERATURE),
    Meaning("labs", "resulted", "tests", "tests with a result, the latest of each counted"),
    Meaning("labs", "abnormal", "tests", "of them out of range"),
    Meaning("labs", "critical", "tests", "of them beyond a critical limit, or flagged so"),
    Meaning("labs", "(?P<each>high|low)", "tests", "of them above or below their range"),
    Meaning("labs", "share_abnormal", "0-1", "abnormal / resulted"),
    Meaning("labs", "since_min", "min", "from the latest result to the cutoff"),
    Meaning("labs", "results", "results", "all results, repeats too"),
    Meaning("labs", "pending", "orders", "laboratory orders without a result by the cutoff"),
    Meaning("labs", "(?P<each>.+)_resulted", "tests", "tests of a panel with a result"),
    Meaning("labs", "(?P<each>.+)_abnormal", "tests", "tests of a panel out of range"),
    Meaning(
        "labs", "troponin_ratio", "ratio", "latest troponin / its upper limit: units differ between assays, limits not"
    ),
    Meaning("labs", "(?P<each>.+)", "the record's own", "latest number of a common test"),
    Meaning("orders", "count", "orders", "orders by the cutoff"),
    Meaning("orders", "distinct", "orders", "different order names"),
    Meaning("orders", "classes", "classes", "different classes"),
    Meaning("orders", "(?P<each>resulted|given)", "orders", "orders resulted, medications given by the cutoff"),
    Meaning("orders", "pending_(?P<each>lab|imaging)", "orders", "ordered, without a result by the cutoff"),
    Meaning("orders", "not_given", "orders", "medications ordered, not given by the cutoff"),
    Meaning("orders", "(?P<each>first_min|since_min)", "min", "from the first and from the latest order to the cutoff"),
    Meaning("orders", "last_hour", "orders", "orders of the last hour before the cutoff"),
    Meaning("orders", "kind_(?P<each>.+)", "orders", "orders of a kind"),
    Meaning("orders", "class_(?P<each>.+)", "orders", "orders of a clinical class, by name"),
    Meaning(
        "imaging", "(?P<each>done|acute|pending)", "studies", "reports back, of them with an acute finding, pending"
    ),
    Meaning("imaging", "since_min", "min", "from the latest report to the cutoff"),
    Meaning("imaging", "(?P<each>.+)_done", "studies", "reports back, by region and by modality"),
    Meaning("imaging", "(?P<each>.+)_acute", "studies", "of them with an acute finding, by region"),
    Meaning("imaging", "(?P<each>.+)_pending", "studies", "ordered, without a result by the cutoff"),
    Meaning("history", "(?P<each>diagnoses|diagnosis_groups)", "count", "different prior codes, and groups of them"),
    Meaning("history", "since_diagnosis_days", "days", "from the latest prior diagnosis to the arrival"),
    Meaning("history", "diagnosis_(?P<each>.+)", "0/1", "a prior diagnosis of the group"),
    Meaning("history", "(?P<each>medications|medication_classes)", "count", "home medications, and classes of them"),
    Meaning("history", "medication_(?P<each>.+)", "0/1", "a home medication of the class"),
    Meaning(
        "history", "(?P<each>earlier_visits|earlier_admissions)", "visits", "earlier visits here; those with admission"
    ),
    Meaning("history", "days_since_visit", "days", "from the end of the last visit to the arrival"),
    Meaning("history", "last_admitted", "0/1", "the last visit ended in admission"),
    Meaning("history", "visits_(?P<each>.+)_days", "visits", "earlier visits that ended within so many days"),
    Meaning("waveforms", "monitored_min", "min", "minutes with any monitor value"),
    Meaning(
        "waveforms", "(?P<each>since_start|since)_min", "min", "from the first and from the last value to the cutoff"
    ),
    Meaning("waveforms", "(?P<each>ecg|pleth|respiration)_min", "min", "minutes with a value of the channel"),
    Meaning("waveforms", "share", "0-1", "monitored share of the time since the first value"),
    Meaning("waveforms", "gaps", "gaps", "gaps of 5 min or more"),
    Meaning("waveforms", "longest_gap_min", "min", "the longest gap"),
    *(meaning for vital in VITALS for meaning in _last_readings(vital)),
)


@dataclass(frozen=True)
class Family:
    """Columns that share a meaning: members by name without their function."""

    meaning: Meaning
    columns: tuple[str, ...]


def families(function: str, columns: Iterable[str]) -> list[Family]:
    """The columns of a function (without its prefix) by meaning, in order of first appearance.

    Raises DataError for a column that no meaning knows: whoever adds a column says what it means.
    """
    found: dict[Meaning, list[str]] = {}
    for column in columns:
        found.setdefault(_meaning(function, column), []).append(column)
    return [Family(meaning, tuple(members)) for meaning, members in found.items()]


def _meaning(function: str, column: str) -> Meaning:
    for meaning in _of(function):
        if re.fullmatch(meaning.pattern, column):
            return meaning
    raise DataError(f"{function}__{column}: a column without a meaning; add one to {__name__}")


def _of(function: str) -> Iterator[Meaning]:
    return (meaning for meaning in MEANINGS if meaning.function == function)


def spelled(family: Family, function: str) -> str:
    """The columns of a family as one name: `labs__{cardiac, gas}_resulted`."""
    if len(family.columns) == 1:
        return f"{function}__{family.columns[0]}"
    matches = [re.fullmatch(family.meaning.pattern, column) for column in family.columns]
    if "(?P<each>" not in family.meaning.pattern:
        return f"{function}__{{{', '.join(family.columns)}}}"
    first = next(match for match in matches if match)
    start, end = first.span("each")
    members = ", ".join(match["each"] for match in matches if match)
    return f"{function}__{first.string[:start]}{{{members}}}{first.string[end:]}"
