"""What is shown to readers."""

from pydantic import Field

from tirec.config.base import Model


class ReportConfig(Model):
    """Pages made from finished results."""

    viewer_cases: int = Field(default=300, ge=1)
    """Test cases on the page of trajectories: a seeded random sample, the same number of each task while they last."""
    viewer_seed: int = Field(default=0, ge=0)
    """Seed of that sample."""
