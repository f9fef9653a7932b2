"""What may be known by the cutoff, and how it is told to trees and agents."""

import re
from typing import Literal

from tirec.config.base import Model

# Orders that are the disposition decision itself, as whole words in any case (cohort ruling 9).
DECISION_PHRASES = (
    "ADMIT",
    "ADMISSION",
    "BED REQUEST",
    "REQUEST FOR BED",
    "PLACE IN OBSERVATION",
    "OBSERVATION STATUS",
    "TRANSFER PATIENT",
    "TRANSFER TO",
    "DISCHARGE PATIENT",
    "DISCHARGE TO",
    "DISCHARGE HOME",
    "DISCHARGE DISPOSITION",
    "DISCHARGE INSTRUCTIONS",
    "ED DISCHARGE",
    "HOSPITAL INPATIENT",
)
_DECISION = re.compile(
    r"(?<![A-Z0-9])(?:" + "|".join(phrase.replace(" ", r"\s+") for phrase in DECISION_PHRASES) + r")(?![A-Z0-9])"
)


def _same(name: str) -> str:
    return " ".join(name.upper().split())


class OrderRules(Model):
    """Which orders are evidence."""

    decision_orders: Literal["drop", "keep"] = "drop"
    """Orders that are the disposition decision itself: dropped for every task and from every count, or kept."""
    keep: tuple[str, ...] = ()
    """Order names kept although they look like a decision."""
    drop: tuple[str, ...] = ()
    """Further order names to drop."""
    leak_limit: float = 0.95
    """A visible name that predicts admission (train, by 4 h) with more than this stops the run until it is decided."""
    leak_min_visits: int = 50
    """Training visits that a name needs for that."""

    def kept(self, name: str) -> bool:
        """Whether somebody has decided to keep an order of this name."""
        return _same(name) in {_same(kept) for kept in self.keep}

    def visible(self, name: str | None) -> bool:
        """Whether an order of this name is evidence; names are compared without case and spacing."""
        same = _same(name or "")
        if self.kept(same):
            return True
        if same in {_same(dropped) for dropped in self.drop}:
            return False
        return self.decision_orders == "keep" or not _DECISION.search(same)


class ObservationRules(Model):
    """How the texts of the clinical functions are written."""

    style: Literal["full", "headline"] = "full"
    """Whole texts, or the first clause of their first line only (for very small models)."""
    tokenizer: Literal["qwen"] = "qwen"
    """Vocabulary in which the caps are counted."""
    summary_tokens: int = 260
    """Cap of a summary's text."""
    detail_tokens: int = 700
    """Cap of a detail's text."""


class FeatureRules(Model):
    """How the trees' columns are made."""

    complaints: int = 60
    """Number of frequent complaint phrases that become columns (counted on training visits only)."""
    complaint_min_visits: int = 20
    """Training visits that a phrase needs to become a column."""
    chunk_visits: int = 2_000
    """Visits worked on at a time; bounds memory, changes no value."""


class EvidenceConfig(Model):
    """The evidence window and its two faces."""

    orders: OrderRules = OrderRules()
    """Which orders are evidence."""
    history_margin_days: int = 0
    """Days before the arrival day that hide prior diagnoses too (0: those noted on the day before are visible)."""
    observations: ObservationRules = ObservationRules()
    """The agent's texts."""
    features: FeatureRules = FeatureRules()
    """The trees' columns."""
