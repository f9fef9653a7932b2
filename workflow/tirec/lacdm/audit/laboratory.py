"""What the laboratory rows and the mapping hold: forms of values, ranges, repeats, and panels against the menu."""

from collections.abc import Iterator, Mapping

import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.lacdm.audit.counting import Counter, Row
from tirec.lacdm.guideline import reachable
from tirec.lacdm.menu import Menu
from tirec.lacdm.texts.laboratory import panel_items, results

WITH_UNIT = r"^\s*[<>]?=?\s*-?[0-9]*\.?[0-9]+\s*\S+.*$"
BARE = r"^\s*-?[0-9]*\.?[0-9]+\s*$"


def values(tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame) -> Iterator[Row]:
    """Forms of values, missing ranges, levels that can be judged, items, repeats."""
    counter = Counter("Laboratory rows", labels)
    rows = tables["laboratory"]
    text = rows["value"].fill_null("")
    yield counter.number("distinct items", rows["itemid"].n_unique())
    yield counter.share(
        "a number and a unit", int((text.str.contains(WITH_UNIT) & ~text.str.contains(BARE)).sum()), rows.height
    )
    yield counter.share("a number alone", int(text.str.contains(BARE).sum()), rows.height)
    yield counter.share("without a lower limit", rows["lower"].null_count(), rows.height)
    yield counter.share("without an upper limit", rows["upper"].null_count(), rows.height)
    repeated = rows.height - rows.select("hadm_id", "itemid").n_unique()
    yield counter.share("repeats of an item in one admission (the first is served)", repeated, rows.height)
    judged = results(rows)
    yield counter.share(
        "judged LOW, NORMAL or HIGH by their own range", judged.height - judged["level"].null_count(), judged.height
    )


def mapping(tables: Mapping[str, pl.DataFrame], labels: pl.DataFrame, menu: Menu) -> Iterator[Row]:
    """The mapping file, where its panels differ from the menu's lists, what guidelines ask for that no test gives."""
    counter = Counter("Mapping of laboratory items", labels)
    items = tables["items"]
    yield counter.share("rows without an item id (panels, synonyms)", items["itemid"].null_count(), items.height)
    for test in menu:
        if test.kind == "panel":
            served = set(panel_items(test, items))
            yield counter.number(f"{test.name}: items only in the mapping", len(served - set(test.items)))
            yield counter.number(f"{test.name}: items only in the menu", len(set(test.items) - served))
    for condition in CONDITIONS:
        met = reachable(condition, menu)
        what = "laboratory categories of the guideline that no test of the menu meets"
        yield counter.section, what, condition, None, None, float(len(met) - sum(met.values()))
