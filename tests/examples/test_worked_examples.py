"""Every clinical function answers its worked example exactly."""

import pytest
from worked_examples import EXAMPLES, answers

from tirec.evidence.functions import REGISTRY


@pytest.mark.parametrize("name", REGISTRY)
def test_answers_are_as_worked(name):
    for file, content in answers(name).items():
        assert content == (EXAMPLES / name / file).read_text(encoding="utf-8"), file


def test_no_example_without_function():
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith("_")}
    assert folders == set(REGISTRY)
