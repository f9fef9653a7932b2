"""What the audit's short names mean, in the words of someone who knows the department and not the program."""

TASKS = {
    "disposition": (
        "Disposition",
        "Admission (inpatient, observation, intensive care) against discharge, asked 1, 2 and 4 hours after arrival.",
    ),
    "decompensation": (
        "Decompensation",
        "Heart rate above 110, mean pressure below 65 or saturation below 90 within 60, 90 and 120 minutes of the "
        "cutoff, in patients stable until then. The cutoff is 15 minutes after the first monitor heart rate.",
    ),
    "revisit": (
        "Revisit",
        "Return to the same department within 3, 7 and 14 days of a discharge, asked at departure.",
    ),
}

_COMMON = {
    "not_in_a_split": "in none of the split files",
    "implausible_times": "no departure time, departure not after arrival, or a decision before arrival",
    "left_without_being_seen": "left without being seen",
    "erroneous_registration": "registered in error",
    "left_against_advice": "left against medical advice (excluded by configuration)",
}
REASONS = {
    "disposition": _COMMON
    | {
        "observation_excluded": "ended in observation (excluded by configuration)",
        "died_in_ed": "died in the department, recorded as a discharge",
        "not_at_risk": "decided, admitted or gone by the cutoff",
        "disposition_missing": "no disposition recorded",
    },
    "decompensation": _COMMON
    | {
        "not_roomed": "no rooming time",
        "no_monitor_heart_rate": "no valid monitor heart rate after rooming",
        "cutoff_after_departure": "gone before the cutoff",
        "triage_missing": "triage heart rate, saturation or pressure missing",
        "triage_impossible": "triage heart rate, saturation or pressure impossible",
        "triage_abnormal": "triage heart rate, saturation or pressure abnormal",
        "no_monitor_saturation": "no valid monitor saturation by the cutoff",
        "unstable_by_cutoff": "abnormal by the cutoff",
        "not_observed_in_horizon": "heart rate or saturation never measured in the horizon",
    },
    "revisit": _COMMON
    | {
        "disposition_missing": "no disposition recorded",
        "not_discharged": "not discharged",
        "died_in_ed": "died in the department",
        "overlapping_next_visit": "the next visit begins at or before departure",
    },
}
"""Reasons of each task in the order in which they are asked; the first that applies is the one."""

FLAGS = {
    "observation": "ended in observation, counted as admission or discharge by configuration",
    "left_against_advice": "left against medical advice",
    "transferred": "transferred to another hospital",
    "left_early": "left before the horizon ended",
    "isolated": "positive by a single minute only",
    "next_visit_disagrees": "the recorded hours to the next visit differ from the patient's next row",
}
SETTINGS = {
    "1h": "1 hour", "2h": "2 hours", "4h": "4 hours", "60m": "60 minutes", "90m": "90 minutes",
    "120m": "120 minutes", "3d": "3 days", "7d": "7 days", "14d": "14 days",
}  # fmt: skip
TABLES = {
    "visits": "one row per visit: who, when, how it ended",
    "orders": "what was ordered",
    "labs": "laboratory results, one row per component",
    "rads": "imaging reports",
    "numerics": "vital signs, charted and monitored",
    "waveform_summary": "which waveforms exist",
    "meds": "home medications, by patient",
    "pmh": "prior diagnoses, by patient",
}
CLASSES = {
    "synthetic": "made up by the generator; says nothing about patients",
    "open": "openly licensed records",
    "credentialed": "credentialed records: counts under 11 are not shown",
}
SPLIT_AIMS = {"train": 0.78, "validation": 0.11, "test": 0.11}
"""Patient shares that the study quotes for the chronological split."""
