"""The words of a numeric statement: every word of a sentence becomes one letter of a small grammar.

M measure, N number, Q a quantity that is no observation (dose, time, count), C comparison (below), I inside (between),
O outside, L level (high, febrile), ! negation, H hypothetical (if, would), V verb (is), = and @ links
(of; at), F from, G threshold, A about, J and, t to, and the marks , : ( ) - / themselves; x is anything else.
Words that say nothing are left out.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tirec.evidence.vocabulary.labs import COMPONENTS

PRESSURE, AGE, TEMPERATURE = "bp", "age", "temperature"


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its letter, its text, and what it stands for.

    `meaning` is a measure's key (M), a relation (C), a level (L); a level may imply a measure (febrile: temperature).
    """

    kind: str
    text: str
    meaning: str = ""
    measure: str | None = None
    value: float = 0.0
    decimals: int = 0
    unit: str = ""


def _table(kind: str, entries: dict[str, str], measure: str | None = None) -> dict[str, Word]:
    """Words by phrase from `meaning: phrase, phrase, …` (meaning may repeat with a measure)."""
    phrases = ((meaning, phrase.strip()) for meaning, listed in entries.items() for phrase in listed.split(","))
    return {phrase.lower(): Word(kind, phrase, meaning, measure) for meaning, phrase in phrases}


_MEASURES = {
    "heart_rate": "HR, heart rate, heart-rate, pulse, pulse rate",
    "respiratory_rate": "RR, respiratory rate, resp rate, respiration rate, respirations",
    "spo2": "SpO2, SaO2, O2 sat, O2 sats, O2 saturation, oxygen saturation, pulse ox, pulse oximetry",
    "sbp": "SBP, systolic, systolic pressure, systolic BP, systolic blood pressure",
    "dbp": "DBP, diastolic, diastolic pressure, diastolic BP, diastolic blood pressure",
    "map": "MAP, mean pressure, mean arterial pressure, mean BP, mean blood pressure",
    PRESSURE: "BP, blood pressure",
    TEMPERATURE: "temp, temperature, T",
    AGE: "age, aged",
    "lactate": "lactic acid, lactate level",
    "wbc": "white count, white cell count, white blood cell count, white blood cells, WBC count, leukocyte count",
    "hemoglobin": "Hgb, Hb, haemoglobin",
    "hematocrit": "Hct, haematocrit",
    "platelets": "platelet count, Plt, platelet",
    "sodium": "Na",
    "potassium": "K",
    "chloride": "Cl",
    "bicarbonate": "HCO3, bicarb, bicarbonate",
    "bun": "blood urea nitrogen",
    "creatinine": "Cr, serum creatinine",
    "glucose": "blood glucose, blood sugar",
    "calcium": "Ca",
    "magnesium": "Mg",
    "bilirubin": "total bilirubin",
    "d_dimer": "d dimer",
    "bnp": "NT-proBNP, proBNP",
    "crp": "c-reactive protein",
    "egfr": "GFR",
}
_CASED = frozenset({"T", "K", "Na", "Cl", "Cr", "Ca", "Mg", "Hb", "MAP", "AST", "ALT", "CO2", "RR"})
"""Short names that count only as written here: in lower case they are other words, or units."""

_IMPLIED = (
    ("HIGH", "heart_rate", "tachycardic, tachycardia"),
    ("LOW", "heart_rate", "bradycardic, bradycardia"),
    ("HIGH", "respiratory_rate", "tachypneic, tachypnea, tachypnoeic, tachypnoea"),
    ("LOW", "respiratory_rate", "bradypneic, bradypnea"),
    ("LOW", "spo2", "hypoxic, hypoxia, hypoxemic, hypoxemia, hypoxaemic"),
    ("LOW", PRESSURE, "hypotensive, hypotension"),
    ("HIGH", PRESSURE, "hypertensive"),
    ("HIGH", TEMPERATURE, "febrile, fever, feverish, pyrexia"),
    ("LOW", TEMPERATURE, "hypothermic, hypothermia"),
    ("HIGH", "wbc", "leukocytosis"),
    ("LOW", "wbc", "leukopenia, leukopenic"),
    ("LOW", "hemoglobin", "anemic, anemia, anaemia, anaemic"),
    ("LOW", "platelets", "thrombocytopenia, thrombocytopenic"),
    ("LOW", "sodium", "hyponatremia, hyponatremic"),
    ("HIGH", "sodium", "hypernatremia, hypernatremic"),
    ("LOW", "potassium", "hypokalemia, hypokalemic"),
    ("HIGH", "potassium", "hyperkalemia, hyperkalemic"),
    ("LOW", "glucose", "hypoglycemia, hypoglycemic"),
    ("HIGH", "glucose", "hyperglycemia, hyperglycemic"),
)
_LEVELS = {
    "NORMAL": "normal, unremarkable, within normal limits, within the normal limits, within normal range, within range,"
    " within the normal range, in the normal range, in normal range, within the reference range, within limits",
    "HIGH": "high, very high, elevated, raised, increased, above normal, above the normal range, above normal limits,"
    " above the upper limit, above the upper limit of normal, above the reference range, above range",
    "LOW": "low, very low, decreased, reduced, below normal, below the normal range, below normal limits,"
    " below the lower limit, below the lower limit of normal, below the reference range, below range",
    "ABNORMAL": "abnormal, out of range, outside the normal range, outside normal limits, outside the reference range",
}
_RELATIONS = {
    "<=": "≤, <=, at most, no more than, not more than, no higher than",
    ">=": "≥, >=, at least, no less than, not less than, no lower than",
    "<": "<, below, under, less than, lower than, smaller than",
    ">": ">, above, over, greater than, higher than, more than, larger than, exceeds, exceed, exceeding, exceeded,"
    " in excess of",
}
_GRAMMAR = {
    "I": "between, within, inside, in the range, in the range of, within the range of",
    "O": "outside, outside of, outside the range, outside the range of",
    "!": "not, isn't, wasn't, doesn't, does not, did not, never, no longer, no, without, none, neither, nothing",
    "H": "if, would, whether, should, could, may, might, unless, until, when, look for, looking for, check, checking,"
    " any, require, requires, criterion, criteria, defined, definition, means, will, need, needs, suggest, suggests,"
    " nor, watch, evidence of, meet, target, goal, risk of, expected",
    "V": "is, are, was, were, remain, remains, remained, stays, stayed, has been, have been, being",
    "=": "=, →, ->, of, reads, read, measured, ranged, ranging, ranged from, has, i.e., that, which,"
    " fallen to, fell to, dropped to, risen to, rose to, climbed to, increased to, decreased to",
    "F": "from, increased from, decreased from, risen from, rose from, climbed from, fallen from, fell from,"
    " dropped from",
    "@": "at, with, @",
    "A": "~, about, approximately, around, roughly, nearly, almost, ca",
    "J": "and, or, but, while, so, &",
    "G": "threshold, limit, cutoff, mark, criterion level",
    "t": "to",
    "": "the, a, an, he, she, it, they, patient, patient's, its, it's, her, his, their, this, only, just, still, also,"
    " both, all, now, currently, latest, last, current, recent, first, initial, triage, value, values, reading, level,"
    " levels, well, far, slightly, mildly, markedly, significantly, clearly, very, quite, yet, highest, lowest,"
    " maximum, minimum, peak, serum",
    "x": "above all, near normal, borderline high, borderline low, low normal, high normal, upper normal, low-normal,"
    " high-normal, relatively high, relatively low, relatively normal, normal saline",
}
_GRADED = (
    *("risk", "likelihood", "probability", "suspicion", "concern", "dose", "flow", "priority", "acuity", "grade"),
    *("quality", "chance", "degree", "yield"),
)
"""Nouns whose level ("high risk") says nothing about the number before it."""


def _vocabulary() -> dict[str, Word]:
    found = _table("M", {entry.key: entry.label for entry in COMPONENTS} | {"d_dimer": "D-dimer"})
    found |= _table("M", _MEASURES) | _table("L", _LEVELS) | _table("C", _RELATIONS)
    for level, measure, phrases in _IMPLIED:
        found |= _table("L", {level: phrases}, measure)
    for kind, phrases in _GRAMMAR.items():
        found |= _table(kind, {"": phrases})
    graded = (f"{level}{join}{noun}" for level in ("high", "low", "elevated", "increased", "reduced", "normal")
              for join in (" ", "-") for noun in _GRADED)  # fmt: skip
    return found | _table("x", {"": ", ".join(graded)})


_VOCABULARY = _vocabulary()
_LONGEST_PHRASE = max(phrase.count(" ") + 1 for phrase in _VOCABULARY)

_ATOM = re.compile(
    r"(?:HR|RR|SBP|DBP|BP|MAP)(?=\d)|i\.e\.|[^\W\d_][\w']*(?:-[^\W_][\w']*)*|(?:\d|\.\d)[\d.,]*|<=|>=|->|[^\w\s]"
)
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.\d{1,6})?|\.\d{1,6}|\d{1,4},\d{1,2}")
_UNIT = re.compile(
    r"\s?(?:%|percent\b|(?:beats|breaths)?\s?(?:/|per )\s?min(?:ute)?\b|bpm\b|mm ?Hg\b|(?:°|degrees?)?\s?[CF]\b|°"
    r"|(?:mmol|mEq|mg|g|[uμ]g|mcg|ng|pg|m?I?U|[Kk]|MIL|x?\s?10\^\d+|thousand)\s?/\s?(?:d|u|μ|mc|m)?[Ll]\b(?:/min\b)?)"
)
_YEARS = re.compile(r"[- ]?(?:years?|yrs?|yo)(?:[- ]old)?\b", re.IGNORECASE)
_QUANTITY = re.compile(
    r"[- ]?(?:mg|g|[uμ]g|mcg|kg|lbs?|ml|cc|l|units?|meq|tablets?|s|sec|seconds?|min|mins|minutes?|h|hrs?|hours?|d|days?"
    r"|weeks?|months?|ms|visits?|orders?|results?|readings?|times?|doses?|calls?|tests?|points?|studies|labs|more|earlier)"
    r"\b(?:/(?:min|h|hr|kg|day)\b)?|-[a-z]\w*|\+|\s?(?:of|out of)\s\d+\b|[^\W\d_]\w*",
    re.IGNORECASE,
)
_SUPERSCRIPT = str.maketrans({mark: f"^{digit}" for digit, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | {"’": "'"})


def plain(text: str) -> str:
    """Text with one spelling for every digit, sign, dash and space."""
    return unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPT)).translate(_DASHES)


def words(sentence: str) -> list[Word]:
    """The words of a sentence that say something, in order; `sentence` in plain spelling."""
    return [word for word in _joined(list(_atoms(sentence))) if word.kind]


def _atoms(sentence: str) -> Iterator[Word | str]:
    """Numbers with their units as Words, everything else as text."""
    at = 0
    while match := _ATOM.search(sentence, at):
        at = match.end()
        if not (match[0][0].isdigit() or (match[0][0] == "." and len(match[0]) > 1)):
            yield match[0]
            continue
        number = _NUMBER.fullmatch(match[0].rstrip(".,"))
        at = match.start() + len(match[0].rstrip(".,"))
        word, at = _number(sentence, number, at) if number else (Word("x", match[0]), at)
        yield word


def _number(sentence: str, number: re.Match[str], at: int) -> tuple[Word, int]:
    """The number with what follows it: an observation's unit, years, or the unit of something else."""
    if unit := _UNIT.match(sentence, at):
        return _observed(number[0], unit[0].strip()), unit.end()
    if years := _YEARS.match(sentence, at):
        return _observed(number[0], "years"), years.end()
    if other := _QUANTITY.match(sentence, at):
        return Word("Q", number[0]), other.end()
    return _observed(number[0], ""), at


def _observed(text: str, unit: str) -> Word:
    """A number as written; degrees Fahrenheit become Celsius with one decimal."""
    thousands = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text)
    digits = text.replace(",", "" if thousands else ".")
    value, decimals = float(digits), len(digits.partition(".")[2])
    if unit.endswith("F"):
        return Word("N", text, value=round((value - 32) / 1.8, 1), decimals=1, unit="°C")
    return Word("N", text, value=value, decimals=decimals, unit=unit)


def _joined(atoms: list[Word | str]) -> Iterator[Word]:
    """The longest phrases of the vocabulary that the atoms make; an unknown word is an x."""
    at = 0
    while at < len(atoms):
        atom = atoms[at]
        if isinstance(atom, Word):
            yield atom
            at += 1
            continue
        length, word = _phrase(atoms[at : at + _LONGEST_PHRASE])
        yield word or _unknown(atom)
        at += length


def _phrase(atoms: list[Word | str]) -> tuple[int, Word | None]:
    texts: list[str] = []
    for atom in atoms:
        if isinstance(atom, Word):
            break
        texts.append(atom)
    for length in range(len(texts), 0, -1):
        word = _VOCABULARY.get(" ".join(texts[:length]).lower())
        if word and (word.text not in _CASED or texts[0] == word.text):
            return length, Word(word.kind, " ".join(texts[:length]), word.meaning, word.measure)
    return 1, None


def _unknown(atom: str) -> Word:
    return Word(atom if atom in ",:()-/" else "x", atom)


def spelled(found: Iterable[Word]) -> str:
    """The letters of words, in order."""
    return "".join(word.kind for word in found)
