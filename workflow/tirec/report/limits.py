"""What stands beside every result: what the data are, and what nobody may conclude."""

DATA = {
    "synthetic": "Synthetic data: these numbers show that the machinery works; they say nothing about patients.",
    "open": "Open data, not the cohort of the paper: numbers are not comparable with published ones.",
    "credentialed": "Retrospective records of one hospital; other hospitals, years and workflows may differ.",
}
JUDGMENT = (
    "Research software. It does not replace a clinician's judgment and is no basis for admitting, discharging or "
    "treating anyone."
)
MONITOR = (
    "Calibration and discrimination, overall and by subgroup, month by month: a raw p is no risk, and a threshold set "
    "here may not fit another place or year.",
    "Alerts per 100 visits, and what staff do with them: flagging too many is ignored, too few reassures falsely.",
    "Unanswered cases, answers out of form, calls of functions that do not exist: they rise when inputs change.",
    "Numbers in the model's text against what it had read: values are sometimes compared in the wrong direction.",
    "Inputs: share of visits without monitor data, laboratory results still pending, new order names, new units.",
    "Trajectories are what was asked and written, not a faithful explanation of the answer.",
)
