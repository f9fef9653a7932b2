"""Reference sets of tests by condition, as the other system's tree teacher finds them: by gain on the tests' words.

One tree model per condition against the three others, on training cases only. Its columns are words of each test's
result; a test that was not performed shows none of them, as a test whose result lacks the word.
"""

import re
from collections import Counter

import numpy as np
import polars as pl

from tirec.config.lacdm import CONDITIONS
from tirec.config.teacher import TeacherConfig
from tirec.lacdm.cases import CdmCase, CdmCases
from tirec.teacher.gbm import fit_booster, gains
from tirec.teacher.reference_sets import build
from tirec.teacher.rows import Rows

WORDS_PER_TEST = 40
LEAST_CASES = 0.01
"""Share of cases in which a word of a test's result must occur to be a column."""
_WORD = re.compile(r"[a-z]{3,}")


def reference_tests(train: CdmCases, rules: TeacherConfig) -> pl.DataFrame:
    """task (the condition), function (the test), gain, share, in_reference: the form of the other system's sets."""
    cases = list(train)
    columns = _columns(cases, train.tests)
    values = np.array([_row(case, columns) for case in cases], dtype=np.float32)
    names = tuple(f"{train.tests.index(test)}__{number}" for number, (test, _) in enumerate(columns))
    importance: dict[str, pl.DataFrame] = {
        one: _importance(cases, values, names, one, train.tests, rules) for one in CONDITIONS
    }
    return build(importance, train.tests, rules)


def _importance(
    cases: list[CdmCase],
    values: np.ndarray,
    names: tuple[str, ...],
    condition: str,
    tests: tuple[str, ...],
    rules: TeacherConfig,
) -> pl.DataFrame:
    keys = pl.DataFrame(
        {
            "instance_id": [case.case_id for case in cases],
            "mrn": [case.patient for case in cases],
            "split": [case.split for case in cases],
            "label": [int(case.condition == condition) for case in cases],
        }
    )
    found = gains(fit_booster(Rows(keys, values, names), rules))
    return found.with_columns(function=pl.Series([tests[int(place)] for place in found["function"]], dtype=pl.String))


def _columns(cases: list[CdmCase], tests: tuple[str, ...]) -> list[tuple[str, str]]:
    """(test, word), the most frequent words of each test; ties by the alphabet."""
    found = []
    for test in tests:
        counts = Counter(word for case in cases for word in set(_words(case, test)))
        common = [word for word, n in counts.items() if n >= LEAST_CASES * len(cases)]
        common.sort(key=lambda word: (-counts[word], word))
        found += [(test, word) for word in common[:WORDS_PER_TEST]]
    return found


def _row(case: CdmCase, columns: list[tuple[str, str]]) -> list[bool]:
    words = {test: set(_words(case, test)) for test in case.texts}
    return [word in words.get(test, ()) for test, word in columns]


def _words(case: CdmCase, test: str) -> list[str]:
    return _WORD.findall(case.texts.get(test, "").lower())
