"""Each case of the written list is answered once, and an unanswered one still counts."""

import polars as pl
import pytest
from scored_cases import benchmark, of_split, predictions, study

from tirec.evaluation.outcomes import PredictionError, fill_unanswered, join, prevalence
from tirec.evaluation.predictions import from_risk, listed

INSTANCES = study()
TEST = of_split(INSTANCES, "test")
GIVEN = predictions(TEST, unanswered=0.2)


def joined(given: pl.DataFrame) -> pl.DataFrame:
    return join(given, TEST.select("instance_id"), INSTANCES)


BAD = {
    "a case is missing": (GIVEN.head(-1), "lack 1 cases"),
    "a case is asked twice": (pl.concat([GIVEN, GIVEN.head(1)]), "twice"),
    "a case of another list": (predictions(pl.concat([TEST, of_split(INSTANCES, "train").head(2)])), "2 others"),
    "p above 1": (GIVEN.with_columns(p=pl.lit(1.2)), "no probability|not a probability"),
    "p not a number": (GIVEN.with_columns(p=pl.lit(float("nan"))), "not a probability"),
}


@pytest.mark.parametrize("name", BAD)
def test_refuses(name: str) -> None:
    given, message = BAD[name]
    with pytest.raises(PredictionError, match=message):
        joined(given)


def test_prevalence_is_that_of_training_rows_only() -> None:
    flipped = INSTANCES.with_columns(
        label=pl.when(pl.col("split") == "train").then("label").otherwise(1 - pl.col("label"))
    )
    assert prevalence(flipped).equals(prevalence(INSTANCES))
    train = of_split(INSTANCES, "train")
    first = train.filter((pl.col("task") == "disposition") & (pl.col("setting") == "1h"))
    assert prevalence(INSTANCES).row(0) == ("disposition", "1h", pytest.approx(first["label"].mean()))


def test_unanswered_cases_take_the_prevalence_of_their_own_task_and_setting() -> None:
    outcomes, rates = joined(GIVEN), prevalence(INSTANCES)
    filled = fill_unanswered(outcomes, rates)
    assert filled["instance_id"].equals(outcomes["instance_id"])
    expected = outcomes.join(rates, on=["task", "setting"], how="left", maintain_order="left")
    open_cases = ~outcomes["answered"]
    assert 0 < open_cases.sum() < outcomes.height
    assert filled.filter(open_cases)["p"].equals(expected.filter(open_cases)["prevalence"].alias("p"))
    assert filled.filter(~open_cases)["p"].equals(outcomes.filter(~open_cases)["p"])


def test_variants_of_the_rule_for_unanswered_cases() -> None:
    outcomes, rates = joined(GIVEN), prevalence(INSTANCES)
    assert fill_unanswered(outcomes, rates, "excluded")["answered"].all()
    assert fill_unanswered(outcomes, rates, "zero").filter(~outcomes["answered"])["p"].unique().to_list() == [0.0]


def test_predictions_of_a_risk_have_the_same_columns_and_cases(tmp_path) -> None:
    for task in ("disposition", "revisit"):
        rows = INSTANCES.filter(pl.col("task") == task)
        rows.select("instance_id", "setting", "split").write_parquet(tmp_path / f"{task}.parquet")
    cases = listed([tmp_path / "disposition.parquet", tmp_path / "revisit.parquet"], "test")
    risk = INSTANCES.select("instance_id", pl.lit(0.25).alias("p"))
    given = from_risk(risk, cases, "teacher")
    assert given.schema == GIVEN.schema
    assert given["instance_id"].to_list() == sorted(cases["instance_id"])
    with pytest.raises(PredictionError, match="no risk from teacher"):
        from_risk(risk.head(3), cases, "teacher")


def test_a_study_without_training_rows_of_a_setting_cannot_fill() -> None:
    outcomes = joined(GIVEN)
    with pytest.raises(PredictionError, match="no training prevalence"):
        fill_unanswered(outcomes, benchmark(INSTANCES).rates.head(1))
