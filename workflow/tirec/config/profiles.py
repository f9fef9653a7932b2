"""A user's configuration over that of a Snakemake profile, where Snakemake would put the one in the other's place."""

from collections.abc import Sequence
from pathlib import Path

import yaml

from tirec.errors import ConfigError


def configfiles(profile: Path, own: Sequence[str]) -> list[str]:
    """Arguments that lay a user's own files over those of `profile`; none where there are none.

    Raises ConfigError where a file does not exist.
    """
    if not own:
        return []
    if missing := [file for file in own if not Path(file).is_file()]:
        raise ConfigError(f"{missing[0]}: no such configuration file")
    return ["--configfile", *_of_profile(profile), *own]


def _of_profile(profile: Path) -> list[str]:
    """The configuration files that a profile names."""
    settings = yaml.safe_load((profile / "profile.v9+.yaml").read_text(encoding="utf-8"))
    named = settings.get("configfile", [])
    return [named] if isinstance(named, str) else list(named)
