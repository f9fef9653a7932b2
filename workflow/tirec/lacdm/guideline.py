"""Adherence to diagnostic guidelines: what each condition asks for, against the tests that were requested.

The rules are those of the published framework (required laboratory categories, points per imaging modality), read for
a menu of panels: a category is met by a panel that holds one of its items.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tirec.config.lacdm import Condition
from tirec.lacdm.menu import ClinicalTest, Menu

Items = frozenset[int]
INFLAMMATION: Items = frozenset({51301, 51755, 51300, 50889, 51652})
LIVER: Items = frozenset({50861, 50878})
GALLBLADDER: Items = frozenset({50883, 50927})
PANCREAS: Items = frozenset({50867, 50956})
SERIOUSNESS: Items = frozenset(
    {51221, 51638, 50810, 51006, 52647, 51000, 50893, 51624, 50824, 50983, 52623, 50822, 50971, 52610}
)
"""Hematocrit, urea nitrogen, triglycerides, calcium, sodium, potassium."""
NEUTRAL_PANELS = ("Complete Blood Count", "Liver Function Panel", "Renal Function Panel", "Urinalysis")
"""Panels whose items are never counted as unnecessary."""
BEST_IMAGING = 2


@dataclass(frozen=True)
class Guideline:
    """What one condition asks for."""

    labs: Mapping[str, Items]
    """Required categories: one item of each."""
    imaging: Mapping[str, int]
    """Points of a modality; every other one is unnecessary."""
    first_only: bool = False
    """Whether only the first of these modalities earns points."""


GUIDELINES: Mapping[Condition, Guideline] = {
    "appendicitis": Guideline({"inflammation": INFLAMMATION}, {"Ultrasound": 2, "CT": 1, "MRI": 1}, first_only=True),
    "cholecystitis": Guideline(
        {"inflammation": INFLAMMATION, "liver": LIVER, "gallbladder": GALLBLADDER},
        {"Ultrasound": 2, "HIDA": 2, "MRI": 1, "EUS": 1},
    ),
    "diverticulitis": Guideline({"inflammation": INFLAMMATION}, {"CT": 2, "Ultrasound": 1, "MRI": 1}),
    "pancreatitis": Guideline(
        {"inflammation": INFLAMMATION, "pancreas": PANCREAS, "seriousness": SERIOUSNESS}, {"Ultrasound": 2, "CT": 1}
    ),
}


@dataclass(frozen=True)
class Adherence:
    """How the requested tests of one case fit the guideline of its condition."""

    examined_first: bool
    examined: bool
    labs: Mapping[str, bool]
    """Each required category: whether it was requested."""
    imaging: int
    """0 to 2."""
    unnecessary_imaging: tuple[str, ...]
    unnecessary_labs: tuple[str, ...]
    """Panels of which no item is required or neutral."""


def adherence(condition: Condition, requested: Sequence[str], menu: Menu) -> Adherence:
    """Judges the requested tests, in order, by the guideline of the true condition."""
    rules = GUIDELINES[condition]
    tests = [test for name in requested if (test := menu.find(name))]
    kinds = [test.kind for test in tests]
    items = {item for test in tests if test.kind == "panel" for item in test.items}
    images = [test for test in tests if test.kind == "imaging"]
    return Adherence(
        examined_first=kinds[:1] == ["exam"],
        examined="exam" in kinds,
        labs={name: bool(items & wanted) for name, wanted in rules.labs.items()},
        imaging=_points(rules, images),
        unnecessary_imaging=tuple(test.name for test in images if not _worth(rules, test)),
        unnecessary_labs=tuple(test.name for test in tests if test.kind == "panel" and _idle(rules, test, menu)),
    )


def _worth(rules: Guideline, test: ClinicalTest) -> int:
    return max(rules.imaging.get(modality, 0) for modality in test.modalities)


def _points(rules: Guideline, images: Sequence[ClinicalTest]) -> int:
    earned = [points for test in images if (points := _worth(rules, test))]
    if not earned:
        return 0
    return earned[0] if rules.first_only else max(earned)


def _idle(rules: Guideline, panel: ClinicalTest, menu: Menu) -> bool:
    neutral = {item for name in NEUTRAL_PANELS if (test := menu.find(name)) for item in test.items}
    required = frozenset[int]().union(*rules.labs.values())
    return not set(panel.items) & (neutral | required)


def reachable(condition: Condition, menu: Menu) -> dict[str, bool]:
    """Each required category of a condition: whether the menu can meet it (the paper's has no lipase)."""
    items = {item for test in menu if test.kind == "panel" for item in test.items}
    return {name: bool(items & wanted) for name, wanted in GUIDELINES[condition].labs.items()}


def adherence_table(predictions: pl.DataFrame, menu: Menu) -> pl.DataFrame:
    """condition, metric, value, n over cases: rates, imaging points as a share of 2, unnecessary tests per case."""
    cases = predictions.sort("case_id").select("condition", "requested").rows()
    judged = [(condition, name, value) for condition, asked in cases for name, value in _row(condition, asked, menu)]
    frame = pl.DataFrame(judged, schema=["condition", "metric", "value"], orient="row")
    return frame.group_by("condition", "metric", maintain_order=True).agg(pl.col("value").mean(), n=pl.len())


def _row(condition: Condition, requested: Sequence[str], menu: Menu) -> Iterator[tuple[str, float]]:
    found = adherence(condition, requested, menu)
    yield "examination first", float(found.examined_first)
    yield "examination", float(found.examined)
    for name, met in found.labs.items():
        yield f"laboratory: {name}", float(met)
    yield "imaging", found.imaging / BEST_IMAGING
    yield "unnecessary imaging", float(len(found.unnecessary_imaging))
    yield "unnecessary laboratory", float(len(found.unnecessary_labs))
