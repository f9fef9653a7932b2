"""One model's metrics table: thresholds from validation half B, then the test set."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import polars as pl

from tirec.config.evaluation import EvaluationConfig
from tirec.errors import EmptyError
from tirec.evaluation import thresholds
from tirec.evaluation.intervals import Resample, resample, rounded
from tirec.evaluation.metrics import metric_names
from tirec.evaluation.outcomes import UnansweredAs, asked, fill_unanswered, join, prevalence, read_instances
from tirec.evaluation.scores import score, settings_of, table

THRESHOLD_COLUMNS = ("task", "setting", "threshold", "threshold_source")
"""Columns of a metrics table that hold the thresholds."""


@dataclass(frozen=True)
class Benchmark:
    """What every model is measured on: the written lists of cases, their labels and patients, training prevalence."""

    test: pl.DataFrame
    """instance_id of every test case."""
    threshold: pl.DataFrame
    """instance_id of every case of validation half B that sets thresholds."""
    instances: pl.DataFrame
    """instance_id, mrn, split, half, task, setting, label of all instances."""
    rates: pl.DataFrame
    """task, setting, prevalence on train."""

    @classmethod
    def read(cls, instances: Sequence[Path], sampled: Sequence[Path]) -> "Benchmark":
        """From the nine instance files and the three written lists."""
        known = read_instances(instances)
        test, threshold = asked(sampled, "test"), asked(sampled, "threshold")
        if test.is_empty():
            raise EmptyError("the written lists hold no test case to evaluate on")
        return cls(test, threshold, known, prevalence(known))

    def resample(self, rules: EvaluationConfig) -> Resample:
        """The resample of the test patients that all models share."""
        patients = self.test.join(self.instances, on="instance_id")["mrn"]
        return resample(patients.to_numpy(), rules.draws, rules.seed)

    def test_outcomes(self, predictions: pl.DataFrame, episodes: pl.DataFrame | None) -> pl.DataFrame:
        """Test predictions beside labels, unanswered cases still open; episodes: instance_id and what is known of them.

        Of a model without episodes, what they would tell is unknown.
        """
        outcomes = join(predictions, self.test, self.instances)
        return outcomes if episodes is None else outcomes.join(episodes, on="instance_id", how="left")

    def flagged(self, predictions: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
        """Test predictions beside labels, a p everywhere, flagged at the thresholds of the model's metrics table."""
        outcomes = fill_unanswered(self.test_outcomes(predictions, None), self.rates)
        return thresholds.flag(outcomes, read_thresholds(metrics))

    def half_b(self, predictions: pl.DataFrame) -> pl.DataFrame:
        """Predictions of validation half B's list beside labels, a p everywhere; other cases are not looked at."""
        listed = predictions.join(self.threshold, on="instance_id", how="semi")
        return fill_unanswered(join(listed, self.threshold, self.instances), self.rates)

    def thresholds(self, predictions: pl.DataFrame) -> pl.DataFrame:
        """The thresholds of a model from its predictions on validation half B."""
        places = self.test.join(self.instances, on="instance_id")
        return thresholds.choose(self.half_b(predictions), places.sort("instance_id"))


def metrics_table(
    benchmark: Benchmark,
    validation: pl.DataFrame,
    test: pl.DataFrame,
    episodes: pl.DataFrame | None,
    rules: EvaluationConfig,
) -> pl.DataFrame:
    """Every metric of one model with its interval, under each rule for unanswered cases, beside the thresholds."""
    chosen = benchmark.thresholds(validation)
    outcomes = benchmark.test_outcomes(test, episodes)
    sample = benchmark.resample(rules)
    metrics = metric_names(rules.net_benefit_at)
    parts = []
    for rule in _rules(outcomes):
        flagged = thresholds.flag(fill_unanswered(outcomes, benchmark.rates, rule), chosen)
        scores = table(score(flagged, sample, settings_of(outcomes), metrics), rules.confidence)
        parts.append(scores.with_columns(pl.lit(rule).alias("unanswered_as")))
    # a threshold is compared with p's again, so it keeps every digit
    joined = rounded(pl.concat(parts)).join(chosen, on=["task", "setting"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("threshold_source").fill_null("per setting"))


def _rules(outcomes: pl.DataFrame) -> tuple[UnansweredAs, ...]:
    """The stated rule, and its variants where they can differ from it: where a case was left unanswered."""
    every: tuple[UnansweredAs, ...] = get_args(UnansweredAs)
    if outcomes["answered"].all():
        return every[:1]
    read = "p_lenient" in outcomes.columns and (~outcomes["answered"] & outcomes["p_lenient"].is_not_null()).any()
    return tuple(rule for rule in every if rule != "lenient" or read)


def read_thresholds(metrics: pl.DataFrame) -> pl.DataFrame:
    """task, setting, threshold, threshold_source from a metrics table."""
    chosen = metrics.filter(pl.col("threshold").is_not_null())
    return chosen.select(THRESHOLD_COLUMNS).unique(maintain_order=True)
