"""docs/lacdm.md names every switch, and every test that it names exists."""

import re
from pathlib import Path

from cdm_cases import ROOT

from tirec.config.lacdm import SwitchesConfig

PAGE = (ROOT / "docs" / "lacdm.md").read_text(encoding="utf-8")
NAMED = re.compile(r"(test_\w+\.py)(?:: (test_\w+))?")


def test_every_switch_is_explained():
    for name in SwitchesConfig.model_fields:
        assert f"| `{name}` |" in PAGE, name


def test_every_test_named_on_the_page_exists():
    tests = {path.name: path for path in Path(ROOT / "tests").rglob("test_*.py")}
    named = NAMED.findall(PAGE)
    assert len(named) > 20
    for file, test in named:
        assert file in tests, file
        assert f"def {test}" in tests[file].read_text(encoding="utf-8"), (file, test)
