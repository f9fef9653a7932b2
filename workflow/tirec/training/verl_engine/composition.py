"""verl's shipped configuration with a run's keys in it, checked as verl checks it."""

import contextlib
import io
from collections.abc import Mapping
from typing import Any

from hydra import compose, initialize_config_module
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import omega_conf_to_dataclass, validate_config

from tirec.errors import ConfigError

_BEYOND_YAML = "mixed_precision"
"""The one key that verl's dataclasses know and its shipped YAML does not."""
_TYPED = ("actor_rollout_ref.actor", "actor_rollout_ref.ref.fsdp_config", "actor_rollout_ref.rollout")


def composed(keys: Mapping[str, Any]) -> DictConfig:
    """verl's configuration with `keys` set; raises ConfigError for a key or value that verl does not take."""
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer")
    OmegaConf.set_struct(config, True)
    for key, value in keys.items():
        _set(config, key, value)
    _validate(config)
    return config


def _set(config: DictConfig, key: str, value: Any) -> None:
    parent, _, name = key.rpartition(".")
    if name == _BEYOND_YAML:
        with open_dict(OmegaConf.select(config, parent)):
            OmegaConf.update(config, key, value, merge=False, force_add=True)
        return
    try:
        OmegaConf.update(config, key, value, merge=False)
    except OmegaConfBaseException as fault:
        raise ConfigError(f"verl has no key {key}: {str(fault).splitlines()[0]}") from None


def _validate(config: DictConfig) -> None:
    try:
        for section in _TYPED:
            omega_conf_to_dataclass(OmegaConf.select(config, section))
        with contextlib.redirect_stdout(io.StringIO()):  # it prints that all went well
            validate_config(config, need_reference_policy(config), need_critic(config))
    except (ValueError, TypeError, AssertionError, HydraException, OmegaConfBaseException) as fault:
        raise ConfigError(f"verl refuses these settings: {str(fault).splitlines()[0]}") from None
