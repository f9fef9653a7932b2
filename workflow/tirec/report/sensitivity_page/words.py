"""The alternatives in the words of someone who knows the department and not the program."""

CHOICES = {
    "left_against_advice": {
        "keep": "who leaves against medical advice stays in",
        "exclude": "who leaves against medical advice is out",
    },
    "at_risk": {
        "undecided": "asked only while nothing is decided",
        "paper-literal": "asked of everyone still there, decided or not",
    },
    "observation": {
        "admission": "observation counts as admission",
        "discharge": "observation counts as discharge",
        "excluded": "observation stays are out",
    },
    "died_in_ed": {
        "exclude": "deaths recorded as discharges are out",
        "keep": "deaths recorded as discharges stay, as discharges",
    },
    "triage_missing": {
        "exclude": "stability at triage must be known",
        "ignore": "stability at triage judged by what was measured",
    },
    "label_source": {
        "monitor": "monitor values alone make the label",
        "monitor_and_chart": "nursing values make the label too",
    },
    "persistence": {
        "one": "one abnormal minute is an event",
        "two": "two abnormal values at most two minutes apart are an event",
    },
    "coverage": {
        "hr_spo2": "heart rate and saturation seen in the horizon",
        "hr_spo2_map": "a pressure seen in the horizon too",
        "full_horizon": "still there at the end of the horizon",
    },
    "cutoff": {
        "departure": "asked at departure",
        "decision": "asked when the discharge was decided",
    },
    "decision_orders": {
        "drop": "orders that are the decision are hidden",
        "keep": "orders that are the decision are shown (a ceiling, not a result)",
    },
    "history_margin_days": {
        "0": "diagnoses noted until the day before are shown",
        "1": "diagnoses noted on the day before are hidden too",
    },
}
"""By decision, what each of its values means."""


def choice(decision: str, value: str) -> str:
    """What one alternative does; its own name where nobody has put it into words."""
    return CHOICES.get(decision, {}).get(value, f"{decision}: {value}")
