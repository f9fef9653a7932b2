"""Every row of the audit, section by section."""

from collections.abc import Iterator, Mapping

import polars as pl

from tirec.config.lacdm import LacdmConfig
from tirec.lacdm.audit import cohort, laboratory, leaks
from tirec.lacdm.audit.counting import Row, table
from tirec.lacdm.cases import CdmCases
from tirec.lacdm.menu import Menu


def audit(
    tables: Mapping[str, pl.DataFrame],
    splits: pl.DataFrame,
    cases: list[CdmCases],
    floors: Mapping[str, pl.DataFrame],
    menu: Menu,
    config: LacdmConfig,
) -> pl.DataFrame:
    """section, check, group (a condition or all), n, of, value."""
    labels = tables["labels"].select("hadm_id", "condition")

    def rows() -> Iterator[Row]:
        yield from cohort.counts(labels, splits)
        yield from cohort.availability(tables, labels, cases, menu)
        yield from cohort.floors(floors)
        yield from leaks.masks(tables, labels)
        yield from leaks.reports(tables, labels, menu, config)
        yield from leaks.examinations(tables, labels)
        yield from leaks.target_side(tables, labels)
        yield from laboratory.values(tables, labels)
        yield from laboratory.mapping(tables, labels, menu)

    return table(rows())
