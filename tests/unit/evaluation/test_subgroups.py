"""Subgroups: who belongs where, what is hidden, and values and gaps against scikit-learn."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored_cases import benchmark, of_split, predictions, study
from sklearn.metrics import roc_auc_score

from tirec.config.evaluation import EvaluationConfig
from tirec.evaluation.model_metrics import metrics_table
from tirec.evaluation.subgroup_table import COUNTS_HIDDEN, FEW_OF_A_CLASS, FEW_PATIENTS, subgroup_table
from tirec.evaluation.subgroups import ATTRIBUTES, describe, first_monitor_values, hidden, levels

RULES = EvaluationConfig(draws=60)
INSTANCES = study(visits=900)
BENCHMARK = benchmark(INSTANCES)
METRICS = metrics_table(
    BENCHMARK, predictions(of_split(INSTANCES, "validation")), predictions(of_split(INSTANCES, "test")), None, RULES
)
FLAGGED = BENCHMARK.flagged(predictions(of_split(INSTANCES, "test")), METRICS)


def described(sex: pl.Expr) -> pl.DataFrame:
    same = [pl.lit("all alike").alias(name) for name in ATTRIBUTES if name != "sex"]
    return FLAGGED.select("instance_id", sex.alias("sex"), *same).select("instance_id", *ATTRIBUTES)


def table(sex: pl.Expr) -> pl.DataFrame:
    return subgroup_table(FLAGGED, described(sex), BENCHMARK.resample(RULES), RULES)


def test_people_are_described_by_what_the_visit_says_and_the_monitor_by_the_cutoff() -> None:
    cases = pl.DataFrame({"instance_id": [1, 2, 3], "csn": [10, 10, 11], "cutoff_s": [3600, 7200, 3600]})
    visits = pl.DataFrame(
        {
            "csn": [10, 11],
            "age": [64, 65],
            "gender": ["F", "U"],
            "race": ["White", "Declines to State"],
            "ethnicity": ["Hispanic/Latino", None],
            "means_of_arrival": ["EMS", "Unknown"],
            "triage_acuity": ["3-Urgent", None],
        }
    )
    monitored = pl.DataFrame({"csn": [10], "first_s": [5000]})
    found = describe(cases, visits, monitored, (40, 65, 80))
    assert found.row(0) == (1, "F", "40-64", "White", "Hispanic/Latino", "EMS", "3-Urgent", "no monitor data")
    assert found.row(1)[-1] == "monitor data"  # the first value came between the two cutoffs
    assert found.row(2) == (3, "unknown", "65-79", *["unknown"] * 4, "no monitor data")


def test_only_a_monitor_counts_as_monitoring() -> None:
    numerics = pl.LazyFrame(
        {"csn": [1, 1, 2, 3], "source": ["Chart", "Monitor", "Chart", "Monitor"], "time_s": [5, 60, 7, 9]}
    )
    assert first_monitor_values(numerics, [1, 2]).rows() == [(1, 60)]


def test_levels_stand_in_their_natural_order() -> None:
    assert levels("age", ["unknown", "80 and over", "under 40"], (40, 80)) == ["under 40", "80 and over", "unknown"]
    assert levels("sex", ["unknown", "M", "F"], (40, 80)) == ["F", "M", "unknown"]


def sizes(**patients: int) -> pl.DataFrame:
    start, rows = 0, {}
    for level, many in patients.items():
        rows[level], start = list(range(start, start + many)), start + many
    return pl.DataFrame(
        {"level": list(rows), "patients": list(rows.values())}, schema_overrides={"patients": pl.List(pl.Int64)}
    )


def test_a_single_small_cell_takes_the_counts_of_the_next_one_with_it() -> None:
    found = hidden(sizes(a=10, b=11, c=40))
    assert (found.small, found.counts) == ({"a"}, {"b"})
    assert hidden(sizes(a=11, b=12)).small == frozenset()
    two = hidden(sizes(a=6, b=7, c=50))
    assert (two.small, two.counts) == ({"a", "b"}, frozenset())  # together 13: their sum gives neither away
    low = hidden(sizes(a=3, b=4, c=50, d=60))
    assert (low.small, low.counts) == ({"a", "b"}, {"c"})  # together 7: the sum itself is a small count


@given(st.lists(st.integers(0, 40), min_size=2, max_size=6))
def test_no_small_count_can_be_worked_out_from_the_total(counts: list[int]) -> None:
    found = hidden(sizes(**{f"l{place}": many for place, many in enumerate(counts)}))
    out = [many for place, many in enumerate(counts) if f"l{place}" in found.small | found.counts]
    shown = [many for place, many in enumerate(counts) if f"l{place}" not in found.small | found.counts]
    assert all(many == 0 or many >= 11 for many in shown)
    everything_hidden = not [many for many in shown if many]
    assert not out or (len(out) > 1 and sum(out) >= 11) or everything_hidden


def test_values_and_gaps_are_those_of_the_rows_themselves() -> None:
    first = pl.col("mrn") % 2 == 0
    found = table(pl.when(first).then(pl.lit("even")).otherwise(pl.lit("odd")))
    cases = FLAGGED.filter(pl.col("task") == "revisit")
    part = cases.filter(first)
    row = found.filter((pl.col("task") == "revisit") & (pl.col("level") == "even") & (pl.col("metric") == "auroc"))
    own, whole = (roc_auc_score(frame["label"], frame["p"]) for frame in (part, cases))
    assert row["value"].item() == pytest.approx(own, abs=1e-6)
    assert row["gap"].item() == pytest.approx(own - whole, abs=1e-6)
    assert row["gap_low"].item() < row["gap"].item() < row["gap_high"].item()
    assert (row["n"].item(), row["n_pos"].item()) == (part.height, part["label"].sum())
    missed = found.filter(
        (pl.col("task") == "revisit") & (pl.col("level") == "even") & (pl.col("metric") == "false_negative_rate")
    )
    positives = part.filter(pl.col("label") == 1)
    assert missed["value"].item() == pytest.approx(1 - positives["flagged"].mean(), abs=1e-6)


def test_the_gap_of_a_group_that_is_everyone_is_zero_with_no_width() -> None:
    found = table(pl.lit("same")).filter((pl.col("attribute") == "sex") & (pl.col("metric") == "auroc"))
    assert found.select("gap", "gap_low", "gap_high").unique().rows() == [(0.0, 0.0, 0.0)]


def test_small_groups_are_suppressed_and_their_neighbours_lose_their_counts() -> None:
    few = FLAGGED["mrn"].unique().sort().head(6).to_list()
    some = FLAGGED["mrn"].unique().sort().slice(6, 60).to_list()
    sex = pl.when(pl.col("mrn").is_in(few)).then(pl.lit("few")).when(pl.col("mrn").is_in(some)).then(pl.lit("some"))
    found = table(sex.otherwise(pl.lit("most"))).filter((pl.col("attribute") == "sex") & (pl.col("task") == "revisit"))
    small = found.filter(pl.col("level") == "few")
    assert small["note"].unique().to_list() == [FEW_PATIENTS]
    assert small.select("value", "ci_low", "gap", "n", "n_pos", "patients").null_count().row(0) == (small.height,) * 6
    next_one = found.filter(pl.col("level") == "some")
    assert next_one.select("n", "n_pos", "patients").null_count().row(0) == (next_one.height,) * 3
    shown = next_one.filter(pl.col("metric") == "auroc")
    assert shown["note"].item() == COUNTS_HIDDEN and shown["value"].item() == round(shown["value"].item(), 3)
    assert next_one.filter(pl.col("metric") == "prevalence")["value"].item() is None
    assert found.filter(pl.col("level") == "most")["n"].null_count() == 0


def test_few_patients_with_the_outcome_hide_the_group_but_not_its_size() -> None:
    ever = FLAGGED.filter(pl.col("task") == "revisit").group_by("mrn").agg(pl.col("label").max()).sort("mrn")
    returned, never = (ever.filter(pl.col("label") == label)["mrn"].to_list() for label in (1, 0))
    group = pl.col("mrn").is_in(returned[:5] + never)
    found = table(pl.when(group).then(pl.lit("calm")).otherwise(pl.lit("other")))
    calm = found.filter((pl.col("task") == "revisit") & (pl.col("level") == "calm"))
    assert calm["note"].unique().to_list() == [FEW_OF_A_CLASS]
    assert calm["n"].null_count() == 0 and calm["n_pos"].null_count() == calm.height
