"""Rule 3: split files that agree with the visits, and those that do not."""

import polars as pl
import pytest

from tirec.cohort.splits import build_splits, count_splits, empty_splits
from tirec.config.cohort import SplitConfig
from tirec.errors import DataError

CONFIG = SplitConfig()


def visits(*pairs: tuple[int, int]) -> pl.DataFrame:
    return pl.DataFrame({"row": range(1, len(pairs) + 1), "csn": [c for c, _ in pairs], "mrn": [m for _, m in pairs]})


def files(**csns: list[int]) -> pl.DataFrame:
    rows = [(split, csn) for split, listed in csns.items() for csn in listed]
    return pl.DataFrame(rows, schema=["split", "csn"], orient="row")


FOUR = visits((41, 1), (12, 1), (23, 2), (34, 3))


def test_every_listed_visit_has_its_split_sorted_by_csn():
    splits = build_splits(FOUR, files(train=[41, 12], validation=[23], test=[34]), CONFIG)
    assert splits.columns == ["csn", "mrn", "split", "half"]
    assert splits["csn"].to_list() == [12, 23, 34, 41]
    assert splits["split"].to_list() == ["train", "validation", "test", "train"]
    assert splits["half"].is_null().to_list() == [True, False, True, True]


def test_visits_and_lines_without_a_counterpart_are_dropped_and_counted():
    listed = files(train=[41, 12, 99], validation=[23], test=[])
    splits = build_splits(FOUR, listed, CONFIG)
    assert 34 not in splits["csn"] and 99 not in splits["csn"]
    counts = dict(count_splits(FOUR, listed, splits).iter_rows())
    assert counts["visits_in_no_split_file"] == 1
    assert counts["listed_but_not_in_visits"] == 1
    assert (counts["visits_train"], counts["patients_train"], counts["visits_test"]) == (2, 1, 0)
    assert empty_splits(splits) == ["test"]


def test_a_line_written_twice_in_one_file_is_one_visit():
    listed = files(train=[41, 12, 12], validation=[23], test=[34])
    splits = build_splits(FOUR, listed, CONFIG)
    assert len(splits) == 4
    assert dict(count_splits(FOUR, listed, splits).iter_rows())["listed_but_not_in_visits"] == 0


@pytest.mark.parametrize(
    "listed",
    [
        files(train=[41], validation=[12], test=[23, 34]),  # two visits of one patient
        files(train=[41, 12], validation=[23], test=[12, 34]),  # one visit in two files
    ],
)
def test_a_patient_in_two_splits_stops_the_run_without_being_named(listed):
    with pytest.raises(DataError, match=r"1 patients are in two splits.*data row [12] of visits"):
        build_splits(FOUR, listed, CONFIG)


def test_halves_are_by_patient_seeded_and_close_to_the_share():
    many = visits(*((csn, csn // 2) for csn in range(4000)))
    listed = files(validation=list(range(4000)))
    splits = build_splits(many, listed, CONFIG)
    assert splits.group_by("mrn").agg(pl.col("half").n_unique())["half"].max() == 1
    assert 900 < splits.filter(half="A")["mrn"].n_unique() < 1100
    assert build_splits(many.reverse(), listed.reverse(), CONFIG).equals(splits)
    assert not build_splits(many, listed, SplitConfig(half_seed=1)).equals(splits)
    assert build_splits(many, listed, SplitConfig(half_a_share=1.0))["half"].unique().to_list() == ["A"]


def test_a_patient_keeps_its_half_when_others_leave():
    many = visits(*((csn, csn) for csn in range(500)))
    listed = files(validation=list(range(500)))
    whole = build_splits(many, listed, CONFIG)
    assert build_splits(many.head(100), listed, CONFIG).equals(whole.head(100))
