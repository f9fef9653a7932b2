"""Thresholds come from validation half B and from nowhere else."""

import polars as pl
import pytest
from scored_cases import benchmark, half_b, of_split, predictions, study

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.model_metrics import metrics_table, read_thresholds
from tirec.evaluation.thresholds import FALLBACK, ThresholdError, choose, flag

INSTANCES = study()
BENCHMARK = benchmark(INSTANCES)
RULES = EvaluationConfig(draws=5)


def validation_outcomes(cases: pl.DataFrame) -> pl.DataFrame:
    return cases.join(predictions(cases).select("instance_id", "p"), on="instance_id")


@pytest.mark.parametrize("split", ["train", "test"])
def test_other_splits_may_not_set_a_threshold(split: str) -> None:
    with pytest.raises(ThresholdError, match="half B"):
        choose(validation_outcomes(of_split(INSTANCES, split)), INSTANCES)


def test_half_a_may_not_set_a_threshold() -> None:
    with pytest.raises(ThresholdError, match="half B"):
        choose(validation_outcomes(INSTANCES.filter(pl.col("half") == "A")), INSTANCES)


def test_thresholds_do_not_move_with_test_or_half_a() -> None:
    validation, test = of_split(INSTANCES, "validation"), of_split(INSTANCES, "test")
    given = predictions(validation)
    changed = given.with_columns(
        p=pl.when(pl.col("instance_id").is_in(half_b(INSTANCES)["instance_id"].implode())).then("p").otherwise(0.99)
    )
    one = metrics_table(BENCHMARK, given, predictions(test, seed=1), None, RULES)
    other = metrics_table(BENCHMARK, changed, predictions(test, seed=2), None, RULES)
    assert not given.equals(changed)
    assert read_thresholds(one).equals(read_thresholds(other))
    assert read_thresholds(one).height == 9


def test_a_threshold_per_task_and_setting_and_its_source() -> None:
    chosen = choose(validation_outcomes(half_b(INSTANCES)), INSTANCES)
    assert chosen.select("task", "setting").n_unique() == 9
    assert chosen["threshold_source"].unique().to_list() == ["validation B"]


def test_a_setting_without_positives_falls_back_and_says_so() -> None:
    cases = half_b(INSTANCES).with_columns(
        label=pl.when((pl.col("setting") == "3d") | (pl.col("task") == "disposition")).then(0).otherwise("label")
    )
    chosen = {
        (task, setting): rest for task, setting, *rest in choose(validation_outcomes(cases), INSTANCES).iter_rows()
    }
    assert chosen["disposition", "2h"] == [FALLBACK, "0.5: no positive in validation B"]
    assert chosen["revisit", "3d"][1] == "validation B, settings pooled"
    assert chosen["revisit", "7d"][1] == "validation B"


@pytest.mark.parametrize(
    ("left", "source"), [("setting", "validation B, settings pooled"), ("task", "0.5: no positive")]
)
def test_a_setting_or_task_without_cases_in_half_b_still_has_a_threshold(left: str, source: str) -> None:
    gone = {"setting": "3d", "task": "revisit"}[left]
    chosen = choose(validation_outcomes(half_b(INSTANCES).filter(pl.col(left) != gone)), INSTANCES)
    assert chosen.height == 9
    assert chosen.filter(pl.col(left) == gone)["threshold_source"].str.starts_with(source).all()


def test_p_equal_to_the_threshold_is_flagged() -> None:
    cases = pl.DataFrame({"task": ["t"] * 3, "setting": ["s"] * 3, "p": [0.29, 0.3, 0.31]})
    chosen = pl.DataFrame({"task": ["t"], "setting": ["s"], "threshold": [0.3], "threshold_source": ["validation B"]})
    assert flag(cases, chosen)["flagged"].to_list() == [False, True, True]
    with pytest.raises(ThresholdError, match="no threshold"):
        flag(cases, chosen.head(0))
