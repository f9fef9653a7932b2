"""MIMIC-IV-ED's words in the terms of the eight tables; a word that no line below knows is never guessed."""

import polars as pl

DISPOSITIONS: dict[str, tuple[str | None, str]] = {
    "ADMITTED": ("Inpatient", "Admitted"),
    "HOME": ("Discharge", "Home"),
    "TRANSFER": ("Discharge", "Transfer to another hospital"),
    "LEFT AGAINST MEDICAL ADVICE": ("Discharge", "Left Against Medical Advice"),
    "ELOPED": ("Discharge", "Eloped (Left Against Medical Advice)"),
    "LEFT WITHOUT BEING SEEN": ("Discharge", "ED Only - Left Without Being Seen"),
    "EXPIRED": ("Discharge", "Expired"),
    "OTHER": (None, "Other"),
}
"""Disposition of a stay, as (ed_dispo, dc_dispo): what the cohort's rules then make of it stands in docs/data.md."""

ARRIVAL = {"WALK IN": "Self", "AMBULANCE": "EMS", "HELICOPTER": "EMS", "UNKNOWN": "Unknown", "OTHER": "Unknown"}
ACUITY = {"1": "1-Resuscitation", "2": "2-Emergent", "3": "3-Urgent", "4": "4-Semi-Urgent", "5": "5-Non-Urgent"}
RACES = {
    "WHITE": "White",
    "BLACK": "Black",
    "ASIAN": "Asian",
    "AMERICAN INDIAN": "American Indian or Alaska Native",
    "NATIVE HAWAIIAN": "Native Hawaiian or Other Pacific Islander",
    "HISPANIC": "Other",
    "PORTUGUESE": "Other",
    "SOUTH AMERICAN": "Other",
    "MULTIPLE RACE": "Other",
    "OTHER": "Other",
    "PATIENT DECLINED": "Declines to State",
    "UNABLE TO OBTAIN": "Unknown",
    "UNKNOWN": "Unknown",
}
"""How a race begins, and the group it is told as."""

PAIN_WORDS = {"denies": 0.0, "denied": 0.0, "none": 0.0, "no pain": 0.0}
"""Words that are a pain of 0; every other word is no number, and left out."""

BLOOD_TESTS = {
    "ALANINE AMINOTRANSFERASE (ALT)": "ALT (SGPT)",
    "ASPARATE AMINOTRANSFERASE (AST)": "AST (SGOT)",
    "BICARBONATE": "CO2",
    "CALCIUM, TOTAL": "CALCIUM",
    "ESTIMATED GFR (MDRD EQUATION)": "EGFR",
    "HEMATOCRIT": "HEMATOCRIT (HCT)",
    "HEMOGLOBIN": "HEMOGLOBIN (HGB)",
    "INR(PT)": "INR",
    "NEUTROPHILS": "NEUTROPHIL % (AUTO DIFF)",
    "PLATELET COUNT": "PLATELET COUNT (PLT)",
    "POTASSIUM, WHOLE BLOOD": "POTASSIUM",
    "SODIUM, WHOLE BLOOD": "SODIUM",
    "UREA NITROGEN": "BLOOD UREA NITROGEN (BUN)",
    "WHITE BLOOD CELLS": "WHITE BLOOD CELLS (WBC)",
}
"""Names of blood tests under which the evidence knows them; all others keep their own."""


def race(words: pl.Expr) -> pl.Expr:
    """The group of a race; null where it begins like none of `RACES`."""
    known = (pl.when(words.str.starts_with(start)).then(pl.lit(group)) for start, group in RACES.items())
    return pl.coalesce(*known)


def ethnicity(words: pl.Expr) -> pl.Expr:
    """Hispanic/Latino where the race says so, else null: the column does not say who is not."""
    return pl.when(words.str.starts_with("HISPANIC")).then(pl.lit("Hispanic/Latino"))


def complaint(words: pl.Expr) -> pl.Expr:
    """Complaint phrases in capitals, joined by commas, as MC-MED writes them."""
    phrases = words.str.to_uppercase().str.split(",").list.eval(pl.element().str.strip_chars())
    return phrases.list.eval(pl.element().filter(pl.element().str.len_bytes() > 0)).list.join(",")


def pain(words: pl.Expr) -> pl.Expr:
    """The number in a pain field (`8`, `8.5`, `0/10`, `denies`), null where it says none (`asleep`, `unable`)."""
    said = words.str.strip_chars().str.to_lowercase()
    number = said.str.extract(r"^([0-9]+(?:\.[0-9]+)?)(?:\s*/\s*10)?$", 1).cast(pl.Float32, strict=False)
    return pl.coalesce(number, said.replace_strict(PAIN_WORDS, default=None, return_dtype=pl.Float32))


def component(label: pl.Expr, fluid: pl.Expr) -> pl.Expr:
    """The name of a laboratory test; one of another fluid than blood names it, so that urine is never read as blood."""
    name, liquid = label.str.to_uppercase(), fluid.str.to_uppercase()
    other = pl.when(liquid.str.contains("FLUID|URINE")).then(liquid).otherwise(liquid + " FLUID")
    blood = name.replace(list(BLOOD_TESTS), list(BLOOD_TESTS.values()))
    return pl.when((liquid == "BLOOD").fill_null(True)).then(blood).otherwise(name + ", " + other)


def compared(words: pl.Expr) -> pl.Expr:
    """A laboratory value with `LESS THAN 10` written as `<10`, so that its sign and number are read."""
    less = words.str.replace(r"(?i)^\s*less than\s+", "<")
    return less.str.replace(r"(?i)^\s*greater than\s+", ">")
