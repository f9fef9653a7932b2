"""Few-shot examples: from training cases only, by a seed, with and without the outcome."""

from pathlib import Path

import pytest
from tiny_policy import write_cases

from tirec.agent.cases import Cases
from tirec.config.chat import FewShotConfig
from tirec.config.cohort import INSTANCE_SETS
from tirec.errors import DataError
from tirec.policy.chat.examples import choose


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    return write_cases(tmp_path_factory.mktemp("cases") / "train.arrow", "train", 60)


def ids(chosen: dict) -> dict:
    return {key: [case.instance_id for case in cases] for key, cases in chosen.items()}


@pytest.mark.parametrize(("examples", "with_outcome"), [(4, 2), (3, 2), (1, 1)])
def test_every_setting_has_its_own_half_of_them_with_the_outcome(
    train: Cases, examples: int, with_outcome: int
) -> None:
    chosen = choose(train, FewShotConfig(examples=examples))
    assert set(chosen) == set(INSTANCE_SETS)
    for (task, setting), cases in chosen.items():
        assert {(case.task, case.setting, case.split) for case in cases} == {(task, setting, "train")}
        assert sum(case.label for case in cases) == with_outcome
        assert len({case.instance_id for case in cases}) == examples


def test_the_seed_alone_decides(train: Cases) -> None:
    assert ids(choose(train, FewShotConfig(seed=1))) == ids(choose(train, FewShotConfig(seed=1)))
    assert ids(choose(train, FewShotConfig(seed=1))) != ids(choose(train, FewShotConfig(seed=2)))


@pytest.mark.parametrize("split", ["validation", "test"])
def test_no_other_split_is_ever_shown(tmp_path: Path, split: str) -> None:
    with pytest.raises(DataError, match=f"from the training split only, not from {split}"):
        choose(write_cases(tmp_path / "cases.arrow", split, 60), FewShotConfig())


def test_too_few_are_told(train: Cases) -> None:
    with pytest.raises(DataError, match=r"few_shot\.examples: 25 training cases with one outcome"):
        choose(train, FewShotConfig(examples=50))
