"""How a finished study is searched for leaks."""

from pydantic import Field

from tirec.config.base import Model
from tirec.config.evidence import EvidenceConfig
from tirec.config.teacher import TeacherConfig


class LeakSuiteConfig(Model):
    """Sizes and limits of the leak suite."""

    cases: int = Field(default=200, ge=1)
    """Cases per task whose future is drawn again (one per patient)."""
    seed: int = Field(default=0, ge=0)
    """Seed of cases, futures and shuffled labels."""
    column_limit: float = Field(default=0.9, gt=0.5, le=1)
    """A single column that ranks training cases better than this is listed as too good."""
    shuffled_margin: float = Field(default=0.05, gt=0)
    """How far from 0.5 the out-of-fold AUROC of shuffled labels may be."""


class LeakProbeConfig(Model):
    """What one task's probes depend on."""

    leak_suite: LeakSuiteConfig = LeakSuiteConfig()
    """Sizes and limits."""
    evidence: EvidenceConfig = EvidenceConfig()
    """What may be known by the cutoff."""
    teacher: TeacherConfig = TeacherConfig()
    """The tree teacher."""
