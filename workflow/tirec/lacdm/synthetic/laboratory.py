"""Laboratory rows and the mapping file: known items, panels, synonyms, and rare items that fill the list up to 480."""

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tirec.lacdm.menu import Menu
from tirec.lacdm.synthetic.story import Story

ITEMS = 480
"""Distinct laboratory items in the real data set."""
RARE_SHARE = 0.004
URINE_SHARE = 0.75
"""Share of admissions with a urinalysis."""
FIRST_RARE = 53_000
SHORT = {"Complete Blood Count": "CBC", "Basic Metabolic Panel": "BMP", "Comprehensive Metabolic Panel": "CMP",
         "Renal Function Panel": "RFP", "Liver Function Panel": "LFP"}  # fmt: skip
"""Panels whose mapping label carries an abbreviation."""
SYNONYMS = ((51301, 51755, 51300), (51222, 50811), (50931, 52569), (50983, 52623), (50971, 52610), (50902, 52535),
            (51006, 52647), (50912, 52546), (51237, 51675), (50893, 51624))  # fmt: skip
"""Item ids that mean the same measurement."""


@dataclass(frozen=True)
class Item:
    """One laboratory item: how it is called and how its values fall in the healthy."""

    itemid: int
    label: str
    fluid: str
    category: str
    unit: str
    words: str
    mean: float | None
    spread: float
    lower: str
    upper: str
    decimals: int
    share: float


@cache
def items() -> tuple[Item, ...]:
    """The known items, then the rare ones, 480 in all."""
    with (Path(__file__).resolve().parent / "items.tsv").open(encoding="utf-8", newline="") as handle:
        known = tuple(_item(row) for row in csv.DictReader(handle, delimiter="\t"))
    rare = (_rare(number) for number in range(ITEMS - len(known)))
    return (*known, *rare)


def _item(row: dict[str, str]) -> Item:
    return Item(
        itemid=int(row["itemid"]),
        mean=float(row["mean"]) if row["mean"] else None,
        spread=float(row["spread"] or 0),
        decimals=int(row["decimals"] or 0),
        share=float(row["share"]),
        **{name: row[name] for name in ("label", "fluid", "category", "unit", "words", "lower", "upper")},
    )


def _rare(number: int) -> Item:
    return Item(
        FIRST_RARE + number, f"Rare Assay {number + 1}", "Blood", "Chemistry", "units", "", 10, 2, "", "", 1, RARE_SHARE
    )


def lab_rows(story: Story) -> Iterator[tuple[int, int, str, str, str]]:
    """(hadm_id, itemid, value, lower, upper) of one admission: the first value of each item, in no clinical order."""
    rng = random.Random(f"laboratory {story.hadm_id}")
    raised = set(story.profile.high) if story.labs_tell else set()
    urine = rng.random() < URINE_SHARE
    for item in items():
        share = item.share / URINE_SHARE * urine if item.fluid == "Urine" else item.share
        if rng.random() < share:
            yield story.hadm_id, item.itemid, _value(rng, item, item.itemid in raised), item.lower, item.upper


def _value(rng: random.Random, item: Item, raised: bool) -> str:
    if item.mean is None:
        return rng.choice(item.words.split("|"))
    value = max(0.0, rng.gauss(item.mean, item.spread))
    if raised:
        value = float(item.upper) * rng.uniform(1.15, 2.6) if item.itemid != 51256 else rng.uniform(76, 93)
    return f"{value:.{item.decimals}f} {item.unit}".strip()


def mapping_rows(menu: Menu) -> Iterator[tuple[object, ...]]:
    """(itemid, label, fluid, category, count, corresponding_ids): items, then panels and synonyms without an itemid."""
    together = {itemid: list(group) for group in SYNONYMS for itemid in group}
    labels = {item.itemid: item for item in items()}
    for item in items():
        yield item.itemid, item.label, item.fluid, item.category, "", str(together.get(item.itemid, [item.itemid]))
    for group in SYNONYMS:
        for itemid in group[1:]:
            if itemid not in labels:
                first = labels[group[0]]
                yield itemid, first.label, first.fluid, first.category, "", str(list(group))
    for panel in (test for test in menu if test.kind == "panel" and len(test.items) > 4):
        short = SHORT.get(panel.name)
        names = [f"{panel.name} ({short})", panel.name, short] if short else [panel.name]
        yield from (("", name, "", "", "", str(list(panel.items))) for name in names)
    yield 90_201, "BLOOD CULTURE", "", "", "", "[90201]"
    yield 90_039, "URINE CULTURE", "", "", "", "[90039]"
