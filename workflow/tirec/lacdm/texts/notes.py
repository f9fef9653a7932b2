"""Histories, examinations and cultures as text, and what the switches do to any free text."""

import re

import polars as pl

from tirec.config.lacdm import LacdmConfig
from tirec.errors import ConfigError
from tirec.lacdm.masking import drop_masked, mask_all

WITHHELD = "(no sentence without a masked disease name)"
"""Stands where every sentence was dropped, so that a performed test never looks like one that was not."""
_ABDOMEN = re.compile(r"\b(?:Abd|ABD|Abdomen|ABDOMEN|GI)\s*:\s*(.*?)(?=\s[A-Z][A-Za-z]*\s*:|$)")
_CLAUSE = re.compile(r"(?<=[.;])\s")


def shown(text: str, config: LacdmConfig) -> str:
    """A free text on one line, masked as the switches say."""
    flat = " ".join(text.split())
    if config.switches.masking == "all":
        flat = mask_all(flat)
    if config.switches.masked_sentences == "drop":
        flat = drop_masked(flat) or WITHHELD
    return flat


def first_clause(text: str) -> str:
    """The first sentence or clause."""
    return _CLAUSE.split(text, maxsplit=1)[0].rstrip(";")


def examination_texts(examination: pl.DataFrame, config: LacdmConfig) -> pl.DataFrame:
    """The examination; as a headline only what it says of the abdomen."""
    texts = [_exam(text, config) for text in examination["text"].fill_null("")]
    told = examination.select("hadm_id", pl.Series("text", texts, dtype=pl.String), rows=pl.concat_list("row"))
    return told.filter(pl.col("text") != "")


def _exam(text: str, config: LacdmConfig) -> str:
    if not text.strip():
        return ""
    told = shown(text, config)
    if config.style == "full":
        return told
    found = _ABDOMEN.search(told)
    return found.group(1).strip() if found else first_clause(told)


def culture_texts(microbiology: pl.DataFrame, items: pl.DataFrame, tests: tuple[int, ...]) -> pl.DataFrame:
    """One line per admission: `BLOOD CULTURE: NO GROWTH.`"""
    names = items.drop_nulls("itemid").unique("itemid", keep="first", maintain_order=True).select("itemid", "label")
    rows = microbiology.filter(pl.col("test_itemid").is_in(tests)).drop_nulls("value").sort("hadm_id", "row")
    named = rows.join(names, left_on="test_itemid", right_on="itemid", how="left", maintain_order="left")
    line = pl.format("{}: {}", pl.col("label").fill_null("CULTURE"), "value")
    grouped = named.with_columns(line=line).group_by("hadm_id", maintain_order=True)
    return grouped.agg(text=pl.col("line").str.join(", "), rows=pl.col("row"))


def initial_texts(history: pl.DataFrame, summaries: pl.DataFrame | None, config: LacdmConfig) -> pl.DataFrame:
    """hadm_id and history: what the agents start from; raises ConfigError where a summary is wanted and missing."""
    told = history.select(
        "hadm_id", history=pl.Series([_initial(text, config) for text in history["text"].fill_null("")])
    )
    if config.switches.initial == "history":
        return told
    if summaries is None:
        raise ConfigError(
            "lacdm.switches.initial: summary needs lacdm.summaries (a Parquet file of hadm_id and summary); "
            "make it, or choose history"
        )
    joined = told.join(summaries.select("hadm_id", "summary"), on="hadm_id", how="left", maintain_order="left")
    if absent := joined["summary"].null_count():
        raise ConfigError(
            f"{config.summaries}: has no summary of {absent} admissions; make them all, or choose history"
        )
    texts = [_initial(text, config) for text in joined["summary"]]
    return joined.select("hadm_id", history=pl.Series(texts))


def _initial(text: str, config: LacdmConfig) -> str:
    told = " ".join(text.split())
    if config.switches.masking == "all":
        told = mask_all(told)
    return first_clause(told) if config.style == "headline" else told
