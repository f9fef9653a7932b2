"""Composition of config/grpo/: the published values, then the study, then the ablation."""

import re
import subprocess
import sys

import pytest
import yaml

from tirec.config.training import GRPO_FOLDER, TrainingConfig, ablations, compose
from tirec.errors import ConfigError


def test_the_published_values_are_the_defaults():
    assert compose("full", {}) == TrainingConfig()
    written = yaml.safe_load((GRPO_FOLDER / "config.yaml").read_text())
    defaults = TrainingConfig().model_dump()
    assert set(written) <= {*defaults, "defaults"}
    assert compose("full", {}).steps == 500


def changes(ablation):
    full, other = (compose(name, {}).model_dump() for name in ("full", ablation))
    return {key: value for key, value in other.items() if value != full[key]}


def test_each_ablation_changes_what_its_name_says():
    assert changes("no_match")["reward"]["alpha"] == 1.0
    assert changes("no_skills")["skills"]["retention"] == "off"
    assert changes("no_gbm_target")["reward"]["target"] == "label"
    calibrated = changes("full_calibrated")
    assert calibrated["reward"]["prediction"] == "squared"
    assert not calibrated["objective"]["normalise_by_std"]
    assert changes("cost_aware")["reward"]["weight_cost"] == 0.2
    for name in ("no_match", "no_skills", "no_gbm_target", "cost_aware"):
        assert len(changes(name)) == 2  # its name and one section


def test_a_study_changes_every_ablation_and_an_ablation_wins():
    found = compose("no_match", {"steps": 9, "reward": {"alpha": 0.2}, "optimizer": {"learning_rate": 0.01}})
    assert (found.steps, found.reward.alpha, found.optimizer.learning_rate) == (9, 1.0, 0.01)
    assert compose("full", {"reward": {"alpha": 0.2}}).reward.alpha == 0.2
    assert compose("full", {}).reward.alpha == 0.7  # nothing stays behind


def test_a_new_ablation_is_a_file(tmp_path):
    folder = tmp_path / "grpo"
    (folder / "ablation").mkdir(parents=True)
    (folder / "config.yaml").write_text((GRPO_FOLDER / "config.yaml").read_text())
    (folder / "ablation" / "alpha_05.yaml").write_text(_readme_example())
    assert ablations(folder) == ("alpha_05",)
    found = compose("alpha_05", {}, folder)
    assert (found.ablation, found.reward.alpha) == ("alpha_05", 0.5)


def _readme_example():
    """The file that config/README.md shows, as a reader copies it."""
    text = (GRPO_FOLDER.parent / "README.md").read_text(encoding="utf-8")
    return re.search(r"```yaml\n(# config/grpo/ablation/alpha_05\.yaml\n.*?)```", text, re.DOTALL)[1]


def test_hydra_s_own_header_does_no_harm(tmp_path):
    folder = tmp_path / "grpo"
    (folder / "ablation").mkdir(parents=True)
    (folder / "config.yaml").write_text((GRPO_FOLDER / "config.yaml").read_text())
    (folder / "ablation" / "mild.yaml").write_text("# @package _global_\nreward:\n  alpha: 0.6\n")
    assert compose("mild", {}, folder).reward.alpha == 0.6


def test_a_slip_in_an_ablation_names_its_file_and_the_nearest_key(tmp_path):
    folder = tmp_path / "grpo"
    (folder / "ablation").mkdir(parents=True)
    (folder / "config.yaml").write_text((GRPO_FOLDER / "config.yaml").read_text())
    (folder / "ablation" / "mine.yaml").write_text("reward:\n  alfa: 0.5\n")
    with pytest.raises(ConfigError, match=r"grpo/ablation/mine\.yaml.*reward\.alfa.*did you mean reward\.alpha\?"):
        compose("mine", {}, folder)


@pytest.mark.parametrize(
    ("ablation", "overrides", "said"),
    [
        ("fulll", {}, "fulll"),
        ("full", {"stepps": 3}, "stepps"),
        ("full", {"optimizer": {"lr": 3}}, "optimizer.lr"),
        ("full", {"steps": "many"}, "steps"),
        ("full", {"group_size": 1}, "group_size"),
    ],
)
def test_a_fault_is_one_line_that_names_the_key(ablation, overrides, said):
    with pytest.raises(ConfigError, match=said) as fault:
        compose(ablation, overrides)
    assert "\n" not in str(fault.value)


def test_composing_imports_no_torch():
    code = "import sys; from tirec.config.training import compose; compose('full', {}); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
