"""Which objective is trained at which step."""

from tirec.config.lacdm_training import Objective, PhasesConfig
from tirec.errors import ConfigError

ORDER: tuple[Objective, ...] = ("decision", "hypothesis", "confidence")


def phase_at(step: int, phases: PhasesConfig) -> tuple[Objective, ...]:
    """The objectives of optimizer step `step` (from 1): the one whose turn it is in the cycle, or all together."""
    lengths = {name: getattr(phases, name) for name in ORDER}
    used = tuple(name for name in ORDER if lengths[name])
    if not used:
        raise ConfigError("phases: every objective has 0 steps")
    if phases.together:
        return used
    place = (step - 1) % sum(lengths.values())
    for name in used:
        if place < lengths[name]:
            return (name,)
        place -= lengths[name]
    raise AssertionError("a step outside its cycle")
