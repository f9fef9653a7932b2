"""What holds between the two engines, checked where verl is installed (tests/engines/verl_inside/)."""

import pytest
import verl_environment


@pytest.mark.slow
def test_settings_episodes_objective_and_update_agree():
    """One process for all of them: importing verl takes longer than the checks."""
    cpu = {"VERL_PLATFORM": "cpu", "VERL_USE_EXTERNAL_MODULES": "tirec.training.verl_engine.cpu_platform"}
    checks = ["-m", "pytest", "tests/engines/verl_inside", "-o", "python_files=check_*.py", "-W", "ignore"]
    done = verl_environment.run(*checks, **cpu)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
