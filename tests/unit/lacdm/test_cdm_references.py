"""Reference sets of tests: the test that holds a condition's finding carries its tree."""

import cdm_policy as tiny

from tirec.config.teacher import TeacherConfig
from tirec.lacdm.references import reference_tests

RULES = TeacherConfig(tree={"min_leaf_rows": 5, "max_rounds": 20, "patience": 5}, min_members=1)


def test_the_telling_test_is_the_reference(tmp_path):
    found = reference_tests(tiny.write_cases(tmp_path / "train.arrow", "train", 120), RULES)
    inside = found.filter(found["in_reference"] == 1)
    assert set(inside["function"]) == {"Physical Examination"}
    assert inside.height == 4  # one for each condition
    assert found.height == 4 * len(tiny.menu().names)
