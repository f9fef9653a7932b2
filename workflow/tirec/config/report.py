"""What is shown to readers."""

from pydantic import Field

from tirec.config.base import Model


class ReportConfig(Model):
    """Pages made from finished results."""

    viewer_cases: int = Field(default=300, ge=1)
    """Test cases on the page of trajectories: a seeded random sample, the same number of each task while they last."""
    viewer_seed: int = Field(default=0, ge=0)
    """Seed of that sample."""
    curves: tuple[str, ...] = ()
    """Models drawn in the calibration and decision curves beside the reference (its first training seed), its base and
    the tree teacher: names as in `results/metrics/`."""


class CardFacts(Model):
    """What the configuration tells the model card; everything else in it is read from artifacts."""

    reference: str = "full"
    """Policy that the card is about."""
    seeds: tuple[int, ...] = (0,)
    """Training seeds."""
    ablations: tuple[str, ...] = ()
    """Policies trained."""
    models: tuple[str, ...] = ()
    """Models beside the policies."""
    engine: str = "local"
    """What trained."""
    base: str = ""
    """Base of the policies: a name, not a path."""
    calls: int = 12
    """Calls an agent may make."""
    draws: int = 1000
    """Bootstrap resamples."""
    confidence: float = 0.95
    """Coverage of the intervals."""
