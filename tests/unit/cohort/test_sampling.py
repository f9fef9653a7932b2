"""The agent's list: who can be drawn, how often, and what a larger number adds."""

import numpy as np
import polars as pl
import pytest

from tirec.cohort.lottery import tickets
from tirec.cohort.sampling import sample_instances, shortfalls
from tirec.config.cohort import SamplingConfig
from tirec.records.small_counts import Counts

VISITS = 600
FEW = SamplingConfig(train_instances=100, select_instances=30, select_min_positives=0, threshold_instances=40)


def instances(
    visits: int = VISITS, settings: tuple[str, ...] = ("60m", "90m", "120m"), every: int = 10
) -> pl.DataFrame:
    """A task: of ten visits eight train, one validates (halves in turn), one tests; every `every`-th is positive."""
    csn = np.arange(visits)
    split = np.where(csn % 10 < 8, "train", np.where(csn % 10 == 8, "validation", "test"))
    half = np.where(split == "validation", np.where(csn // 10 % 2 == 0, "A", "B"), None)
    parts = [
        pl.DataFrame(
            {
                "instance_id": k * visits + csn,
                "evidence_id": csn,
                "csn": csn,
                "split": split,
                "half": list(half),
                "task": "decompensation",
                "setting": setting,
                "label": (csn // 10 % every == 0).astype(np.int8),
            },
            schema_overrides={"half": pl.String},
        )
        for k, setting in enumerate(settings)
    ]
    return pl.concat(parts)


def drawn(frame: pl.DataFrame, config: SamplingConfig, role: str) -> list[int]:
    return sample_instances(frame, config).filter(role=role)["instance_id"].to_list()


def test_roles_come_from_their_splits_and_halves():
    frame = instances()
    sampled = sample_instances(frame, FEW).join(frame.select("instance_id", "csn", "half"), on="instance_id")
    assert sampled.group_by("role").len().sort("role").rows() == [
        ("select", 30),
        ("test", 180),
        ("threshold", 30),
        ("train", 100),
    ]
    assert sampled.select("role", "split", "half").unique().sort("role").rows() == [
        ("select", "validation", "A"),
        ("test", "test", None),
        ("threshold", "validation", "B"),
        ("train", "train", None),
    ]


def test_at_most_one_setting_per_visit_except_in_the_whole_test_set():
    frame = instances()
    sampled = sample_instances(frame, SamplingConfig()).join(frame.select("instance_id", "csn"), on="instance_id")
    per_visit = sampled.group_by("role", "csn").len()
    assert per_visit.filter(role="test")["len"].unique().to_list() == [3]
    assert per_visit.filter(pl.col("role") != "test")["len"].unique().to_list() == [1]
    # every visit that can be drawn is drawn when more are asked for than there are
    assert sampled.filter(role="train").height == 480


@pytest.mark.parametrize("role", ["train", "select", "threshold", "test"])
def test_a_smaller_number_is_the_beginning_of_a_larger_one(role):
    frame = instances()
    name = f"{role}_instances"
    largest = drawn(frame, FEW.model_copy(update={name: 10_000}), role)
    for number in (1, 7, 25):
        assert drawn(frame, FEW.model_copy(update={name: number}), role) == largest[:number]


def test_all_test_instances_are_the_same_with_and_without_a_large_number():
    frame = instances()
    assert drawn(frame, FEW, "test") == drawn(frame, FEW.model_copy(update={"test_instances": 999}), "test")


def test_selection_is_drawn_on_until_it_holds_enough_positives():
    frame = instances(6000)
    labels = dict(frame.select("instance_id", "label").iter_rows())
    asked = SamplingConfig(select_instances=20, select_min_positives=12)
    chosen = drawn(frame, asked, "select")
    assert sum(labels[case] for case in chosen) == 12 and labels[chosen[-1]] == 1 and len(chosen) > 20
    plain = drawn(frame, asked.model_copy(update={"select_min_positives": 0}), "select")
    assert chosen[:20] == plain
    # more than there are: all of half A
    assert len(drawn(frame, asked.model_copy(update={"select_min_positives": 9999}), "select")) == 300


def test_the_draw_depends_on_the_seed_and_on_nothing_else():
    frame = instances()
    once = sample_instances(frame, FEW)
    assert sample_instances(frame.sample(fraction=1.0, shuffle=True, seed=3), FEW).equals(once)
    assert not sample_instances(frame, FEW.model_copy(update={"seed": 1})).equals(once)
    # another visit in the cohort takes a place, and reorders nothing
    fewer = drawn(frame.filter(pl.col("csn") != once["instance_id"][0] % VISITS), FEW, "train")
    assert [case for case in once.filter(role="train")["instance_id"].to_list() if case in fewer] == fewer[:-1]


def test_the_draw_is_uniform_over_visits_and_settings_and_keeps_the_prevalence():
    frame = instances(20_000)
    chosen = set(drawn(frame, FEW.model_copy(update={"train_instances": 4000}), "train"))
    picked = frame.filter(pl.col("instance_id").is_in(list(chosen)))
    counts = picked["setting"].value_counts()["count"]
    assert counts.min() > 4000 / 3 - 120 and counts.max() < 4000 / 3 + 120
    assert 0.08 < picked["label"].mean() < 0.12


def test_what_is_missing_is_said():
    sampled = sample_instances(instances(), SamplingConfig())
    said = shortfalls(sampled, SamplingConfig(), Counts.of("open"))
    assert "train: 480 instances of 10,000 asked for" in said
    empty = sample_instances(instances().head(0), SamplingConfig())
    assert empty.is_empty() and len(shortfalls(empty, SamplingConfig(), Counts.of("open"))) == 4


def test_a_log_about_credentialed_data_names_no_small_count():
    few = sample_instances(instances().filter(split="train").head(7), SamplingConfig())
    assert "train: 7 instances of 10,000 asked for" in shortfalls(few, SamplingConfig(), Counts.of("synthetic"))
    assert "train: <11 instances of 10,000 asked for" in shortfalls(few, SamplingConfig(), Counts.of("credentialed"))


KNOWN = [15014775187987042311, 2499006016442781361, 9040965343260428358]


def test_tickets_are_known_numbers():
    """A change here would silently redraw every study: the numbers are part of the format."""
    ids = pl.Series([1, 2, 98_000_001])
    assert tickets(ids, 0, "x").to_list() == KNOWN
    assert tickets(ids, 0, "y").to_list() != KNOWN
    assert tickets(ids.cast(pl.Int32), 0, "x").to_list() == KNOWN
