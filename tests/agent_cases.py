"""A small case and a few scripted turns for tests of the protocol; all of it invented."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tirec.agent.cases import Case
from tirec.agent.environment import RecordEnvironment
from tirec.agent.episode import Episode, EpisodeRecord
from tirec.agent.parse import answer_text, call_text

ROOT = Path(__file__).resolve().parents[1]
PROMPTS = ROOT / "config" / "prompts"
FUNCTIONS = (
    *("demographics", "triage", "heart_rate", "blood_pressure", "oxygen_saturation", "respiratory_rate"),
    *("temperature", "labs", "orders", "imaging", "history", "waveforms"),
    *("vital_sign_values", "lab_values", "order_list", "radiology_reports", "prior_diagnoses", "home_medications"),
)
SCHEMAS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"What the record says about {name.replace('_', ' ')}.",
            "parameters": {"type": "object", "properties": {}, "required": []},
        },
    }
    for name in FUNCTIONS
]


def toy_case(**changes: Any) -> Case:
    """Instance 7: admitted, teacher risk 0.6 (target 0.8), reference set labs and orders, no imaging recorded."""
    case = Case(
        instance_id=7,
        task="disposition",
        setting="2h",
        cutoff_s=7200,
        split="train",
        half=None,
        label=1,
        risk=0.6,
        reference=("labs", "orders"),
        view="Age 71 years, female. Triage heart rate 96 /min. Complaint: chest pain.",
        texts={name: f"{name}: NORMAL, steady: 1" for name in FUNCTIONS},
        rows={name: (1, 2) if name != "imaging" else () for name in FUNCTIONS},
    )
    return replace(case, **changes)


def played(*turns: str, case: Case | None = None, calls: int = 12, **rules: Any) -> EpisodeRecord:
    """The record of an episode in which the model writes `turns`."""
    episode = Episode(RecordEnvironment(case or toy_case()), calls, **rules)
    for turn in turns:
        episode.take(turn)
    return episode.record()


def asks(*functions: str) -> list[str]:
    """Turns that call functions one after another."""
    return [f"Looking at {name}. {call_text(name)}" for name in functions]


def answers(probability: str) -> str:
    """A turn that answers."""
    return f"Enough. {answer_text(probability)}"
