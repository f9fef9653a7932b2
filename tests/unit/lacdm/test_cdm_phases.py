"""The cycle of objectives, step by step."""

import pytest

from tirec.config.lacdm_training import PhasesConfig, compose_cdm
from tirec.errors import ConfigError
from tirec.lacdm.phases import phase_at

PAPER = PhasesConfig()


@pytest.mark.parametrize(
    ("step", "objective"),
    [
        (1, "decision"),
        (100, "decision"),  # a whole hundred, not the 99 of a counter that moves before it is read
        (101, "hypothesis"),
        (200, "hypothesis"),
        (201, "confidence"),
        (300, "confidence"),
        (301, "decision"),
        (3600, "confidence"),
        (3840, "confidence"),  # 12.8 cycles
    ],
)
def test_the_published_cycle(step, objective):
    assert phase_at(step, PAPER) == (objective,)


def test_every_objective_has_its_share_of_a_cycle():
    phases = PhasesConfig(decision=3, hypothesis=2, confidence=1)
    cycle = [phase_at(step, phases)[0] for step in range(1, 13)]
    assert cycle == ["decision"] * 3 + ["hypothesis"] * 2 + ["confidence"] + cycle[:6]


def test_one_that_is_left_out_never_comes():
    phases = PhasesConfig(decision=2, hypothesis=1, confidence=0)
    assert {phase_at(step, phases) for step in range(1, 30)} == {("decision",), ("hypothesis",)}


def test_together_means_all_at_every_step():
    phases = PhasesConfig(confidence=0, together=True)
    assert {phase_at(step, phases) for step in (1, 150, 999)} == {("decision", "hypothesis")}


def test_nothing_to_train_is_said():
    with pytest.raises(ConfigError, match="every objective has 0 steps"):
        phase_at(1, PhasesConfig(decision=0, hypothesis=0, confidence=0))


@pytest.mark.parametrize(
    ("ablation", "changed"),
    [
        ("full", {}),
        ("no_cost", {"decision.cost": 0.0}),
        ("no_calibration", {"phases.confidence": 0}),
        ("simultaneous", {"phases.together": True}),
        ("decision_only", {"cast": "decision", "phases.hypothesis": 0, "phases.confidence": 0}),
        ("zero_shot", {"trained": False}),
        ("react", {"trained": False, "cast": "decision"}),
        ("sft_all", {"cast": "everything", "phases.decision": 0, "phases.confidence": 0}),
        ("tool_matching", {"decision.match": 1.0}),
    ],
)
def test_an_ablation_is_its_one_named_change(ablation, changed):
    full, other = flat(compose_cdm("full", {})), flat(compose_cdm(ablation, {}))
    assert {key: value for key, value in other.items() if full[key] != value and key != "ablation"} == changed


def flat(settings):
    dumped = settings.model_dump()
    nested = {
        f"{key}.{name}": one for key, value in dumped.items() if isinstance(value, dict) for name, one in value.items()
    }
    return {key: value for key, value in dumped.items() if not isinstance(value, dict)} | nested
