"""docs/functions.md is what the registry and the worked examples say today."""

import shutil

import pytest
from agent_cases import ROOT
from evidence_records import ARRIVAL_DAY
from worked_examples import EXAMPLES

from tirec.errors import DataError
from tirec.evidence.functions import REGISTRY
from tirec.report.functions_page.meanings import MEANINGS, families, spelled
from tirec.report.functions_page.page import functions_page

PAGE = ROOT / "docs" / "functions.md"


def columns(function: str) -> list[str]:
    lines = (EXAMPLES / function / "columns.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [line.partition("\t")[0].removeprefix(f"{function}__") for line in lines if line]


def test_the_committed_page_is_up_to_date():
    if functions_page(EXAMPLES) != PAGE.read_text(encoding="utf-8"):
        pytest.fail("docs/functions.md is out of date: run `make docs` and commit it", pytrace=False)


def test_every_function_has_its_entry():
    page = PAGE.read_text(encoding="utf-8")
    for name, function in REGISTRY.items():
        entry = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert function.item.description in entry
        assert ("; counts in the function match" in entry) == function.item.rewardable
        for file in ("text.txt", "headline.txt"):
            assert f"```text\n{(EXAMPLES / name / file).read_text(encoding='utf-8').rstrip()}\n```" in entry


def test_every_column_has_one_meaning_and_every_meaning_a_column():
    used = {family.meaning for name in REGISTRY for family in families(name, columns(name))}
    assert used == set(MEANINGS)
    for name in REGISTRY:
        assert sorted(column for family in families(name, columns(name)) for column in family.columns) == sorted(
            columns(name)
        )
    with pytest.raises(DataError, match="heart_rate__mood: a column without a meaning"):
        families("heart_rate", ["last", "mood"])


def test_families_are_spelled_as_one_name():
    names = [spelled(family, "labs") for family in families("labs", ["resulted", "gas_resulted", "urine_resulted"])]
    assert names == ["labs__resulted", "labs__{gas, urine}_resulted"]


def test_the_day_of_arrival_is_the_examples():
    assert f"day {ARRIVAL_DAY}" in PAGE.read_text(encoding="utf-8")


def test_a_missing_example_is_named(tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("labs"))
    with pytest.raises(DataError, match="no worked example of the function labs"):
        functions_page(tmp_path / "examples")
