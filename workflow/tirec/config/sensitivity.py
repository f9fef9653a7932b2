"""One alternative cohort with its own teacher: the sections of the study that can change either."""

from tirec.config.base import Model
from tirec.config.cohort import CohortConfig
from tirec.config.evidence import EvidenceConfig
from tirec.config.teacher import TeacherConfig


class AlternativeConfig(Model):
    """What a cohort, its evidence and its teacher depend on."""

    cohort: CohortConfig = CohortConfig()
    """Who is predicted, when, and the label."""
    evidence: EvidenceConfig = EvidenceConfig()
    """What may be known by the cutoff."""
    teacher: TeacherConfig = TeacherConfig()
    """The tree teacher."""
    draws: int = 200
    """Patient resamples behind the interval of an AUROC on validation."""
