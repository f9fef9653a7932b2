"""A user's file lies over a profile's own; Snakemake by itself would put the one in the other's place."""

from pathlib import Path

import pytest

from tirec.config.profiles import configfiles
from tirec.errors import ConfigError

PROFILES = Path(__file__).resolve().parents[3] / "workflow" / "profiles"


@pytest.mark.parametrize(("profile", "under"), [("demo", ["config/demo.yaml"]), ("local", []), ("slurm", [])])
def test_own_files_come_after_the_profiles(tmp_path: Path, profile: str, under: list[str]) -> None:
    own = tmp_path / "my.yaml"
    own.write_text("seeds: [0, 1]\n")
    assert configfiles(PROFILES / profile, [str(own)]) == ["--configfile", *under, str(own)]
    assert configfiles(PROFILES / profile, []) == []


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"my\.yaml: no such configuration file"):
        configfiles(PROFILES / "demo", ["my.yaml"])
