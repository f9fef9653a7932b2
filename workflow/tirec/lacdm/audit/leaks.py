"""Ways in which MIMIC-CDM gives the condition away, each measured: masks, names, later reports, the target side."""

from collections.abc import Iterator, Mapping

import polars as pl

from tirec.config.lacdm import CONDITIONS, Condition, LacdmConfig
from tirec.lacdm.audit.counting import Counter, Row
from tirec.lacdm.masking import TERMS, has_mask, names
from tirec.lacdm.menu import Menu

INTERVENTIONS = ("ERCP", "Drainage", "PTC", "Paracentesis")
"""Modalities that treat rather than look."""
SHORT_EXAM = 40
OPERATIONS = {
    "appendectomy": "append",
    "cholecystectomy": "cholecystectomy",
    "ERCP": "retrograde cholang",
    "drainage": "drain",
}
IN_EXAM = r"(?i)\bWBC\b|\blipase\b|\bCT\b|ultrasound|\bx-?ray\b|radiograph"


def masks(tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame) -> Iterator[Row]:
    """Cases whose reports or examination hold a masked name; cases that name a disease, their own or another."""
    counter = Counter("Masked and named diseases", labels)
    for table in ("radiology", "examination"):
        masked = tables[table].filter(_masked(tables[table]["text"]))
        yield from counter.cases(f"{table}: a name is masked", masked["hadm_id"])
    for table in ("radiology", "examination", "history"):
        for condition in CONDITIONS:
            named = tables[table].filter(_names(tables[table]["text"], condition))
            yield from counter.cases(f"{table}: names {condition}", named["hadm_id"], overall=False)
        own = tables[table].join(labels, on="hadm_id")
        said = [condition in names(text or "") for text, condition in own.select("text", "condition").iter_rows()]
        yield from counter.cases(
            f"{table}: names its own condition", own.filter(pl.Series(said, dtype=pl.Boolean))["hadm_id"]
        )


def _masked(texts: pl.Series) -> pl.Series:
    return pl.Series([has_mask(text or "") for text in texts], dtype=pl.Boolean)


def _names(texts: pl.Series, condition: Condition) -> pl.Series:
    return texts.fill_null("").str.to_lowercase().str.contains_any(list(TERMS[condition]))


def reports(tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame, menu: Menu, config: LacdmConfig) -> Iterator[Row]:
    """Reports after the first hours, interventions, other regions, and what no test of the menu can reach."""
    counter = Counter("Imaging reports", labels)
    radiology = tables["radiology"]
    timed = radiology.join(tables["charted"], on="note_id", how="inner")
    late = timed.filter(pl.col("hours") > config.report_hours)
    yield counter.share("with a time (MIMIC-IV-Note)", timed.height, radiology.height)
    yield counter.share(f"charted more than {config.report_hours} h after admission", late.height, timed.height)
    yield from counter.cases(f"cases with a report after {config.report_hours} h", late["hadm_id"])
    first = radiology.unique(["hadm_id", "modality", "region"], keep="first", maintain_order=True)
    further = radiology.join(first.select("row"), on="row", how="anti")
    yield counter.share("further ones of the same modality and region", further.height, radiology.height)
    yield from counter.cases("cases with such further reports", further["hadm_id"])
    treated = radiology.filter(pl.col("modality").is_in(INTERVENTIONS))
    yield from counter.cases("cases with an intervention among the reports", treated["hadm_id"])
    reached = {modality for test in menu for modality in test.modalities}
    unreached = radiology.filter(~pl.col("modality").is_in(sorted(reached)))
    yield counter.share("of a modality that no test of the menu names", unreached.height, radiology.height)
    for modality in ("CT", "Radiograph", "Ultrasound"):
        of = radiology.filter(pl.col("modality") == modality)
        elsewhere = of.filter(pl.col("region").fill_null("") != "Abdomen")
        yield counter.share(f"{modality}: not of the abdomen", elsewhere.height, of.height)


def examinations(tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame) -> Iterator[Row]:
    """Examinations that are absent, short, or hold results of laboratory or imaging."""
    counter = Counter("Examinations", labels)
    exam = tables["examination"]
    yield from counter.cases("cases without one", labels.join(exam, on="hadm_id", how="anti")["hadm_id"])
    short = exam.filter(pl.col("text").fill_null("").str.len_chars() < SHORT_EXAM)
    yield from counter.cases(f"shorter than {SHORT_EXAM} characters", short["hadm_id"])
    mixed = exam.filter(pl.col("text").fill_null("").str.contains(IN_EXAM))
    yield from counter.cases("with words of laboratory or imaging", mixed["hadm_id"])


def target_side(tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame) -> Iterator[Row]:
    """What the discharge files would give away; no observation is made of them."""
    counter = Counter("Target side (never shown)", labels)
    done = pl.concat(
        [tables[f"target/{name}"].select("hadm_id", "text") for name in ("discharge_procedures", "icd_procedures")]
    )
    for operation, stem in OPERATIONS.items():
        found = done.filter(pl.col("text").fill_null("").str.to_lowercase().str.contains(stem, literal=True))
        yield from counter.cases(f"procedures name {operation}", found["hadm_id"])
    for table in ("discharge_diagnosis", "icd_diagnosis"):
        told = tables[f"target/{table}"].join(labels, on="hadm_id")
        said = [condition in names(text or "") for text, condition in told.select("text", "condition").iter_rows()]
        yield from counter.cases(
            f"{table} names the condition", told.filter(pl.Series(said, dtype=pl.Boolean))["hadm_id"]
        )
