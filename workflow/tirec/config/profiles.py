"""A user's configuration over that of a Snakemake profile, where Snakemake would put the one in the other's place."""

from collections.abc import Sequence
from pathlib import Path

from tirec.config.base import read_keys


def configfiles(profile: Path, own: Sequence[str]) -> list[str]:
    """Arguments that lay a user's own files over those of `profile`; none where there are none.

    Raises ConfigError where one of them is none.
    """
    if not own:
        return []
    for file in own:
        read_keys(Path(file))  # Snakemake's own words for a bad file name neither file nor line
    return ["--configfile", *_of_profile(profile), *own]


def _of_profile(profile: Path) -> list[str]:
    """The configuration files that a profile names."""
    named = read_keys(profile / "profile.v9+.yaml").get("configfile", [])
    return [named] if isinstance(named, str) else list(named)
