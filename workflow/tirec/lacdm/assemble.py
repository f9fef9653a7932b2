"""From tables to cases: every test's text once per admission, under the switches of the study."""

from collections.abc import Mapping

import polars as pl

from tirec.cohort.lottery import tickets
from tirec.config.lacdm import LacdmConfig
from tirec.errors import DataError
from tirec.lacdm.cases import HEAD, ROWS
from tirec.lacdm.menu import ClinicalTest, Menu
from tirec.lacdm.texts import imaging, laboratory, notes
from tirec.lacdm.thinning import thinned

READS = ("history", "examination", "laboratory", "microbiology", "radiology", "items", "charted")
"""The tables that observations are made of: none of the target side."""


def assemble(
    tables: Mapping[str, pl.DataFrame],
    dealt: pl.DataFrame,
    menu: Menu,
    config: LacdmConfig,
    summaries: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Every case with its texts, sorted by case_id; columns as in `tirec.lacdm.cases`."""
    cases = dealt.join(notes.initial_texts(tables["history"], summaries, config), on="hadm_id", how="left")
    if absent := cases["history"].null_count():
        raise DataError(f"{absent} admissions of the split have no history; run ingest_lacdm again")
    for test, answers in _answers(tables, menu, config).items():
        named = answers.rename({"text": test, "rows": ROWS + test})
        cases = cases.join(named, on="hadm_id", how="left")
    if config.switches.unavailable == "hide":
        cases = _hidden(cases, menu, config.split_seed)
    columns = [*HEAD, *(name for test in menu.names for name in (test, ROWS + test))]
    return cases.sort("case_id").select(columns).cast(pl.Schema(HEAD))


def sampled(cases: pl.DataFrame, split: str, config: LacdmConfig) -> pl.DataFrame:
    """The cases of one split, as many as the configuration says; a larger sample contains the smaller one."""
    members = cases.filter(pl.col("split") == split)
    size = getattr(config.sampling, split)
    if size is None:
        return members
    drawn = tickets(members["hadm_id"], config.split_seed, "lacdm sample")
    return members.with_columns(drawn).sort("ticket").head(size).drop("ticket").sort("case_id")


def _answers(tables: Mapping[str, pl.DataFrame], menu: Menu, config: LacdmConfig) -> dict[str, pl.DataFrame]:
    found, labels = laboratory.results(tables["laboratory"]), laboratory.item_labels(tables["items"])
    reports = imaging.served(tables["radiology"], tables["charted"], config)

    def answer(test: ClinicalTest) -> pl.DataFrame:
        match test.kind:
            case "exam":
                return notes.examination_texts(tables["examination"], config)
            case "imaging":
                return imaging.imaging_texts(reports, test, config)
            case "culture":
                return notes.culture_texts(tables["microbiology"], tables["items"], test.items)
        return laboratory.panel_texts(found, laboratory.panel_items(test, tables["items"]), labels, config)

    return {test.name: answer(test) for test in menu}


def _hidden(cases: pl.DataFrame, menu: Menu, seed: int) -> pl.DataFrame:
    """Withholds results until availability is alike in all conditions."""
    performed = cases.select("hadm_id", "condition", "split", *(pl.col(name).is_not_null() for name in menu.names))
    left = thinned(performed, menu.names, seed)
    return cases.with_columns(
        pl.when(left[name]).then(pl.col(column)).alias(column) for name in menu.names for column in (name, ROWS + name)
    )
