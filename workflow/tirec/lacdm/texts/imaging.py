"""Imaging as the reports that answer a modality: which count, what of each is shown, and how several stand together."""

import re
from itertools import pairwise

import polars as pl

from tirec.config.lacdm import LacdmConfig
from tirec.errors import ConfigError
from tirec.lacdm.menu import ClinicalTest
from tirec.lacdm.texts.notes import first_clause, shown

DROPPED = ("TECHNIQUE", "DOSE", "DLP")
"""Sections that are never shown."""
_HEADER = re.compile(r"^([A-Z][A-Z /&,()-]{2,}):", re.MULTILINE)


def served(radiology: pl.DataFrame, charted: pl.DataFrame, config: LacdmConfig) -> pl.DataFrame:
    """The reports that may be shown, in file order; raises ConfigError where their times are needed and unknown."""
    reports = radiology.drop_nulls("text").sort("row")
    match config.switches.reports:
        case "all":
            return reports
        case "first":
            return reports.unique(["hadm_id", "modality", "region"], keep="first", maintain_order=True)
    if charted.is_empty():
        raise ConfigError(
            "lacdm.switches.reports: window needs the report times of MIMIC-IV; set lacdm.mimic_iv, or choose first"
        )
    timed = reports.join(charted, on="note_id", how="left", maintain_order="left")
    return timed.filter(pl.col("hours") <= config.report_hours).drop("hours")


def imaging_texts(reports: pl.DataFrame, test: ClinicalTest, config: LacdmConfig) -> pl.DataFrame:
    """The answer of one imaging test: its reports, numbered where there are several."""
    broad = config.switches.modalities == "broad"
    wanted = pl.col("modality").is_in([*test.modalities, *(test.wider if broad else ())])
    if config.switches.regions == "listed" and test.regions:
        wanted &= pl.col("region").is_in(test.regions)
    chosen = reports.filter(wanted)
    texts = [shown(findings(text), config) for text in chosen["text"]]
    if config.style == "headline":
        texts = [first_clause(text.removeprefix("FINDINGS: ")) for text in texts]
    told = chosen.select("hadm_id", "row", pl.Series("text", texts, dtype=pl.String))
    grouped = told.group_by("hadm_id", maintain_order=True).agg("text", rows=pl.col("row"))
    joined = [_together(reports) for reports in grouped["text"].to_list()]
    return grouped.select("hadm_id", pl.Series("text", joined, dtype=pl.String), "rows")


def _together(reports: list[str]) -> str:
    if len(reports) == 1:
        return reports[0]
    return " ".join(f"Report {number}: {text}" for number, text in enumerate(reports, start=1))


def findings(report: str) -> str:
    """A report from its FINDINGS on (the whole where it has none), without technique and dose."""
    starts = [0, *(match.start() for match in _HEADER.finditer(report) if match.start())]
    sections = [report[at:end] for at, end in pairwise([*starts, len(report)])]
    from_findings = next((at for at, text in enumerate(sections) if text.startswith("FINDINGS")), 0)
    kept = (text.strip() for text in sections[from_findings:] if not text.startswith(DROPPED))
    return "\n".join(text for text in kept if text)
