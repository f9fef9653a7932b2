"""Who is predicted, when, and what the label is: the three tasks, their nine settings and every decision left open."""

from typing import Literal

from pydantic import Field

from tirec.config.base import Model

Task = Literal["disposition", "decompensation", "revisit"]
Split = Literal["train", "validation", "test"]

TASKS: tuple[Task, ...] = ("disposition", "decompensation", "revisit")
SPLITS: tuple[Split, ...] = ("train", "validation", "test")

HOUR, DAY = 3600, 86400
SETTINGS: dict[Task, dict[str, int]] = {
    "disposition": {"1h": HOUR, "2h": 2 * HOUR, "4h": 4 * HOUR},
    "decompensation": {"60m": 60 * 60, "90m": 90 * 60, "120m": 120 * 60},
    "revisit": {"3d": 3 * DAY, "7d": 7 * DAY, "14d": 14 * DAY},
}
"""Seconds of each setting: the cutoff after arrival for disposition, the horizon after the cutoff for the others."""

INSTANCE_SETS: tuple[tuple[Task, str], ...] = tuple((task, setting) for task in TASKS for setting in SETTINGS[task])
"""The nine (task, setting) pairs; the position k of a pair is part of its instance ids (k·n + i)."""


class SplitConfig(Model):
    """How visits are divided between training, validation and test."""

    family: Literal["chrono", "random", "hash"] = "chrono"
    """Which of the shipped split files are used: `chrono` (validation and test after training) or `random`; `hash`
    divides patients by a seeded draw instead, as always where the records ship no split files (MIMIC-IV-ED)."""
    hash_seed: int = 0
    """Seed of that draw."""
    hash_validation_share: float = Field(default=0.11, ge=0, lt=0.5)
    """Expected share of patients in validation under `hash`."""
    hash_test_share: float = Field(default=0.11, ge=0, lt=0.5)
    """Expected share of patients in test under `hash`; the others are training."""
    half_seed: int = 0
    """Seed of the patient hash that divides the validation split into halves A and B."""
    half_a_share: float = Field(default=0.5, ge=0, le=1)
    """Expected share of validation patients in half A (checkpoint selection); the others are half B (thresholds)."""


class DispositionConfig(Model):
    """Admission against discharge, 1, 2 or 4 hours after arrival."""

    at_risk: Literal["undecided", "paper-literal"] = "undecided"
    """`undecided`: still there and without decision or admission at the cutoff; `paper-literal`: still there."""
    observation: Literal["admission", "discharge", "excluded"] = "admission"
    """What a stay that ends in observation counts as."""
    died_in_ed: Literal["exclude", "keep"] = "exclude"
    """Deaths in the department that are recorded as discharges: out, or kept with the label of a discharge."""


class DecompensationConfig(Model):
    """Tachycardia, hypotension or hypoxia within 60, 90 or 120 minutes of the cutoff in patients stable until then."""

    triage_missing: Literal["exclude", "ignore"] = "exclude"
    """A missing triage heart rate, oxygen saturation or pressure: the visit is out, or only what is there is judged."""
    label_source: Literal["monitor", "monitor_and_chart"] = "monitor"
    """Which rows can make the label positive: monitor minutes, or nursing chart values too."""
    persistence: Literal["one", "two"] = "one"
    """Abnormal minutes that make heart rate or saturation positive: `one`, or `two` at most two minutes apart."""
    coverage: Literal["hr_spo2", "hr_spo2_map", "full_horizon"] = "hr_spo2"
    """Eligible with a valid heart rate and saturation in the horizon; with a pressure too; or also there to its end."""


class RevisitConfig(Model):
    """Return to the same department within 3, 7 or 14 days of a discharge."""

    cutoff: Literal["departure", "decision"] = "departure"
    """When the prediction is made; without a usable decision time, `decision` means departure as well."""


class SamplingConfig(Model):
    """The fixed list of instances that the agent meets."""

    seed: int = 0
    """Seed of the draw; a changed number below gives nested samples of the same draw."""
    train_instances: int = Field(default=10_000, ge=1)
    """Training instances per task (at most one setting per visit)."""
    select_instances: int = Field(default=1_000, ge=1)
    """Instances per task from validation half A, which select checkpoints."""
    select_min_positives: int = Field(default=100, ge=0)
    """Half A is drawn further until it holds this many positives, as far as there are any."""
    threshold_instances: int = Field(default=3_000, ge=1)
    """Instances per task from validation half B, which set thresholds and calibration."""
    test_instances: int | None = Field(default=None, ge=1)
    """Test instances per task, the same for every model; all of them where empty."""


class CohortConfig(Model):
    """Every decision about splits, exclusions, cutoffs and labels; the defaults are the study's."""

    splits: SplitConfig = SplitConfig()
    """Training, validation (halves A and B) and test."""
    left_against_advice: Literal["keep", "exclude"] = "keep"
    """Visits that end against medical advice, in all tasks."""
    disposition: DispositionConfig = DispositionConfig()
    """The task `disposition`."""
    decompensation: DecompensationConfig = DecompensationConfig()
    """The task `decompensation`."""
    revisit: RevisitConfig = RevisitConfig()
    """The task `revisit`."""
    sampling: SamplingConfig = SamplingConfig()
    """What the agent trains on, selects by and is tested on."""
