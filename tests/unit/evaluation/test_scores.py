"""The metrics table: places, the headline as a mean over settings, undefined cells, variants."""

import numpy as np
import polars as pl
import pytest
from scored_cases import benchmark, of_split, predictions, study
from sklearn.metrics import roc_auc_score

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.metrics import metric_names
from tirec.evaluation.model_metrics import metrics_table

RULES = EvaluationConfig(draws=40)


def table_of(instances: pl.DataFrame, unanswered: float = 0.0) -> pl.DataFrame:
    validation = predictions(of_split(instances, "validation"))
    test = predictions(of_split(instances, "test"), unanswered=unanswered)
    return metrics_table(benchmark(instances), validation, test, None, RULES)


INSTANCES = study()
TABLE = table_of(INSTANCES)


def value(table: pl.DataFrame, task: str, setting: str, metric: str, column: str = "value") -> float | None:
    where = (pl.col("task") == task) & (pl.col("setting") == setting) & (pl.col("metric") == metric)
    return table.filter(where & (pl.col("unanswered_as") == "prevalence"))[column].item()


def test_every_place_has_every_metric() -> None:
    places = TABLE.select("task", "setting").unique(maintain_order=True).rows()
    assert len(places) == 3 * 5 + 1
    assert places[:5] == [("disposition", place) for place in ("1h", "2h", "4h", "mean", "pooled")]
    assert places[-1] == ("macro", "mean")
    assert TABLE.height == len(places) * len(metric_names(RULES.net_benefit_at))


def test_headline_is_the_mean_over_settings_and_macro_the_mean_over_tasks() -> None:
    settings = [value(TABLE, "revisit", setting, "auroc") for setting in ("3d", "7d", "14d")]
    assert value(TABLE, "revisit", "mean", "auroc") == pytest.approx(np.mean(settings), abs=1e-6)
    tasks = [value(TABLE, task, "mean", "f1") for task in ("disposition", "decompensation", "revisit")]
    assert value(TABLE, "macro", "mean", "f1") == pytest.approx(np.mean(tasks), abs=1e-6)


def test_pooled_scores_all_cases_of_a_task_together() -> None:
    test = of_split(INSTANCES, "test").join(
        predictions(of_split(INSTANCES, "test")).select("instance_id", "p"), on="instance_id"
    )
    task = test.filter(pl.col("task") == "revisit")
    assert value(TABLE, "revisit", "pooled", "auroc") == pytest.approx(
        roc_auc_score(task["label"], task["p"]), abs=1e-6
    )


def test_values_lie_in_their_intervals() -> None:
    found = TABLE.filter(pl.col("metric").is_in(["auroc", "auprc", "brier"]))
    assert (found["ci_low"] <= found["value"]).all() and (found["value"] <= found["ci_high"]).all()
    assert (found["undefined_draws"] == 0).all()


def test_a_one_class_setting_is_undefined_and_so_is_its_mean() -> None:
    instances = INSTANCES.with_columns(
        label=pl.when((pl.col("setting") == "3d") & (pl.col("split") == "test")).then(0).otherwise("label")
    )
    table = table_of(instances)
    assert value(table, "revisit", "3d", "auroc") is None
    assert value(table, "revisit", "3d", "auroc", "n_pos") == 0
    assert value(table, "revisit", "3d", "auroc", "note") == "undefined (n_pos = 0)"
    assert value(table, "revisit", "mean", "auroc", "note") == "undefined (so is one of its parts)"
    assert value(table, "revisit", "3d", "auroc", "undefined_draws") == RULES.draws
    assert value(table, "revisit", "mean", "auroc") is None and value(table, "macro", "mean", "f1") is None
    assert (
        value(table, "revisit", "3d", "brier") is not None and value(table, "disposition", "mean", "auroc") is not None
    )


def test_unanswered_cases_bring_the_variants_and_their_rate() -> None:
    assert TABLE["unanswered_as"].unique().to_list() == ["prevalence"]
    table = table_of(INSTANCES, unanswered=0.3)
    assert table["unanswered_as"].unique(maintain_order=True).to_list() == ["prevalence", "zero", "excluded"]
    assert value(table, "macro", "mean", "unanswered") == pytest.approx(0.3, abs=0.06)
    counted = table.filter((pl.col("task") == "macro") & (pl.col("metric") == "auroc"))["n"].to_list()
    assert counted[0] == counted[1] > counted[2]


def test_a_lenient_reading_is_a_variant_of_its_own_where_it_reads_anything_more() -> None:
    test = predictions(of_split(INSTANCES, "test"), unanswered=0.3)
    read = test.select("instance_id", p_lenient=pl.when(pl.col("p").is_null()).then(0.25).otherwise("p"))
    table = metrics_table(benchmark(INSTANCES), predictions(of_split(INSTANCES, "validation")), test, read, RULES)
    assert table["unanswered_as"].unique(maintain_order=True).to_list() == ["prevalence", "lenient", "zero", "excluded"]
    macro = table.filter((pl.col("task") == "macro") & (pl.col("metric") == "unanswered"))
    assert dict(macro.select("unanswered_as", "value").iter_rows())["lenient"] == 0
    strict = read.with_columns(pl.lit(None, pl.Float64).alias("p_lenient"))
    nothing = metrics_table(benchmark(INSTANCES), predictions(of_split(INSTANCES, "validation")), test, strict, RULES)
    assert "lenient" not in nothing["unanswered_as"].to_list()


def test_a_model_that_answers_nothing_still_has_a_table() -> None:
    table = table_of(INSTANCES, unanswered=1.0)
    assert value(table, "macro", "mean", "auroc") == pytest.approx(0.5)
    assert value(table, "macro", "mean", "unanswered") == 1
    assert table.filter(pl.col("unanswered_as") == "excluded")["value"].is_null().all()


def test_same_inputs_same_table() -> None:
    assert table_of(INSTANCES).equals(TABLE)
