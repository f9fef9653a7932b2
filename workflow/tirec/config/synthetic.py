"""How large the synthetic cohort is and how strongly its planted causes act."""

from pydantic import Field

from tirec.config.base import Model


class SyntheticConfig(Model):
    """A made-up emergency department; the effects are log odds, the shares are of visits unless said."""

    visits: int = Field(10_000, ge=300, le=900_000)
    """Number of visits (rows of visits.csv, apart from a few repeated rows)."""
    seed: int = Field(0, ge=0)
    """Seed of every draw: the same seed and size give the same bytes."""
    chunk_patients: int = Field(1_500, ge=200)
    """Patients simulated at a time; memory grows with it, and another number gives another cohort."""

    level_shares: tuple[float, float, float] = (0.52, 0.27, 0.21)
    """Shares of levels 0, 1, 2 of treatment intensity, laboratory derangement, imaging findings, chronic burden."""
    severity_loading: float = 0.42
    """Correlation of each of those levels' scores with the shared severity, which acuity and complaint reflect."""
    admission_intercept: float = -5.1
    """Log odds of admission with nothing found."""
    admission_per_treatment: float = 1.35
    """Effect on admission of one level of treatment intensity (orders)."""
    admission_per_derangement: float = 1.2
    """Effect on admission of one level of laboratory derangement (labs)."""
    admission_per_finding: float = 1.5
    """Effect on admission of one level of imaging findings (imaging)."""
    admission_per_burden: float = 1.2
    """Effect on admission of one level of chronic burden (history)."""
    admission_per_severity: float = 0.25
    """Effect on admission of one standard deviation of shared severity (seen through acuity alone)."""

    narrow_share: float = 0.20
    """Share with a narrow reserve (heart rate, pressure or saturation near its limit), for each of the three."""
    decline_if_narrow: float = 0.46
    """Probability that a vital with a narrow reserve crosses its limit."""
    decline_else: float = 0.012
    """Probability that any other vital does."""
    decline_minutes: tuple[float, float] = (2.0, 145.0)
    """Range of the time from 15 minutes of monitoring to the crossing."""

    fever_share: float = 0.20
    """Share that leaves with a fever that was not there at triage."""
    return_intercept: float = -4.0
    """Log odds of a return within 14 days of a visit with no cause for it."""
    return_per_burden: float = 1.25
    """Effect on return of one level of chronic burden."""
    return_if_fever: float = 2.7
    """Effect on return of leaving with a fever."""
    return_if_fast: float = 2.7
    """Effect on return of leaving with a heart rate of 100 /min rather than 90 or less."""
    later_return_days: float = 1000.0
    """Mean days to a next visit that is not a return; halved for the often seen."""

    monitored_share: float = 0.71
    """Share of visits with bedside monitoring (MC-MED: 83,623 of 118,385)."""
    monitor_density: float = Field(1.0, gt=0, le=1)
    """Share of the minutes that the monitor exports; below 1 gives a smaller numerics.csv with the same story."""
    unseen_share: float = 0.03
    """Share that leaves without being seen."""
    unsplit_share: float = 0.003
    """Share of visits that are in no split file."""
