"""The audit as a page: one table per section, a column per condition, counts of few patients hidden."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tirec.config.lacdm import CONDITIONS, LacdmConfig, SwitchesConfig
from tirec.lacdm.audit.counting import ALL
from tirec.records.small_counts import HIDDEN, Counts
from tirec.report.pages import render

_FOLDER = Path(__file__).resolve().parent
WHY: Mapping[str, str] = {
    "Admissions": "Labels come from pathology_ids.json alone. A patient in two splits is possible under the published "
    "deal, which deals admissions.",
    "Which tests were performed": "Whether a test was performed depends on the condition: a policy that only asks "
    "what exists learns something without reading a result.",
    "How much there is (median per case)": "The length of the history is a cue by itself.",
    "Right on validation without reading a result": "Floors: models that read no result. Whatever an agent reaches "
    "has to be seen against them.",
    "Masked and named diseases": "Only a case's own disease is masked, and admissions whose history names it were left "
    "out: a report that names another disease, or a history that does, excludes it.",
    "Imaging reports": "Reports of the whole stay are served under the published rules, those after an operation too.",
    "Examinations": "An examination may be that of the discharge, or hold results that should cost something.",
    "Target side (never shown)": "Procedures and diagnoses name the disease or its treatment; no text is made of them.",
    "Laboratory rows": "One value per item and admission, without a time.",
    "Mapping of laboratory items": "A panel is what the mapping says under its name, else the menu's list.",
}


@dataclass(frozen=True)
class Line:
    """One check: its cells for all cases and for each condition."""

    check: str
    cells: list[str]


@dataclass(frozen=True)
class Section:
    """One table of the page."""

    title: str
    why: str
    lines: list[Line]


def audit_page(table: pl.DataFrame, config: LacdmConfig, data_class: str) -> str:
    """The page; an equal table gives equal bytes."""
    written = Counts.of(data_class)
    return render(
        _FOLDER,
        data_class=data_class,
        preset=config.preset,
        switches=_switches(config.switches),
        conditions=CONDITIONS,
        attention=list(_attention(table)),
        sections=[
            _section(str(name), rows, written) for (name,), rows in table.group_by("section", maintain_order=True)
        ],
    )


def _switches(switches: SwitchesConfig) -> str:
    return ", ".join(f"{name} {value}" for name, value in switches.model_dump().items())


def _section(title: str, rows: pl.DataFrame, written: Counts) -> Section:
    lines = [_line(str(check), found, written) for (check,), found in rows.group_by("check", maintain_order=True)]
    return Section(title, WHY[title], lines)


def _line(check: str, rows: pl.DataFrame, written: Counts) -> Line:
    """Cells of one check; where one of them is too small, the total is hidden too, so that none can be worked out."""
    found = {row["group"]: row for row in rows.iter_rows(named=True)}
    small = [group for group, row in found.items() if row["of"] is not None and written.small(row["n"] or 0)]
    hidden = ALL if small and small != [ALL] and len(found) > 1 else None
    cells = [_cell(found.get(group), written, hide=group == hidden) for group in (ALL, *CONDITIONS)]
    return Line(check, cells)


def _cell(row: Mapping[str, float] | None, written: Counts, *, hide: bool) -> str:
    if row is None:
        return ""
    if row["of"] is None or row["n"] is None:
        return "" if row["value"] is None else f"{row['value']:,.0f}"
    if hide:
        return HIDDEN
    n, of = int(row["n"]), int(row["of"])
    if written.small(n) or not of:
        return written.text(n)
    if written.small(of - n):
        return "all but a few"
    return f"{n:,} ({n / of:.1%})"


def _attention(table: pl.DataFrame) -> Iterator[str]:
    """What would break a claim: a case that names its own condition, or patients in several splits."""
    own = table.filter(
        pl.col("check").str.ends_with("names its own condition"), pl.col("group") == ALL, pl.col("n") > 0
    )
    for check in own["check"]:
        yield f"{check}: the data set is said to hold none of these"
    spread = table.filter(pl.col("check") == "patients in more than one split", pl.col("n") > 0)
    if spread.height:
        yield "some patients stand in more than one split; lacdm.switches.split: patient keeps them together"
