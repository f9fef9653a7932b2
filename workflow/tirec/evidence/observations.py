"""The agent's texts of every sampled case: the initial view and what each of the 18 functions answers."""

import polars as pl

from tirec.config.evidence import EvidenceConfig
from tirec.errors import EmptyError
from tirec.evidence.features import chunks
from tirec.evidence.functions import REGISTRY
from tirec.evidence.functions.function import ClinicalFunction
from tirec.evidence.tokens import counter
from tirec.evidence.view import initial_view
from tirec.evidence.window import Evidence, gather
from tirec.records.schema import Tables


def render(tables: Tables, cutoffs: pl.DataFrame, config: EvidenceConfig) -> pl.DataFrame:
    """evidence_id, initial_view, then per function text, source rows and `tokens__<name>`, by evidence_id.

    Source rows are `rows__<name>` (of the function's table) and `rows__<name>__<table>` (of further tables).

    `cutoffs` holds the sampled cases: evidence_id, csn, mrn, cutoff_s. Raises EmptyError where there are none, CapError
    where a text is over its cap.
    """
    parts = [texts(gather(tables, chunk, config)) for chunk in chunks(cutoffs, config, "observations")]
    if not parts:
        raise EmptyError("observations: there is no sampled case to render")
    return pl.concat(parts).sort("evidence_id").rechunk()


def texts(evidence: Evidence) -> pl.DataFrame:
    """Initial view and all functions' texts side by side, one row per case."""
    faces = [_face(function, evidence) for function in REGISTRY.values()]
    return pl.concat([initial_view(evidence), *faces], how="horizontal")


def _face(function: ClinicalFunction, evidence: Evidence) -> pl.DataFrame:
    rendered = function.texts(evidence)
    shown = said(rendered, evidence).alias(function.name)
    count = counter(evidence.rules.observations.tokenizer)
    return pl.DataFrame(
        [
            shown,
            rendered["rows"].alias(f"rows__{function.name}"),
            *(rendered[f"rows__{table}"].alias(f"rows__{function.name}__{table}") for table in function.further_tables),
            pl.Series(f"tokens__{function.name}", [count(text) for text in shown], dtype=pl.Int32),
        ]
    )


def said(rendered: pl.DataFrame, evidence: Evidence) -> pl.Series:
    """What an agent reads of a function's rendered texts (text, headline) in the study's style."""
    style = evidence.rules.observations.style
    return _first_clause(rendered["headline"]) if style == "headline" else rendered["text"]


def _first_clause(headlines: pl.Series) -> pl.Series:
    """The level and the one number that carries it: `MANY: 19 orders` without the classes that follow."""
    return headlines.str.extract(r"^([^;]*)")
