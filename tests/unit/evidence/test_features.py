"""Segment statistics against plain numpy, and the complaint vocabulary."""

import numpy as np
import polars as pl
import pytest
from evidence_records import cutoff, tables, visit

from tirec.config.evidence import EvidenceConfig, FeatureRules
from tirec.errors import EmptyError
from tirec.evidence.features import build, complaint_vocabulary
from tirec.evidence.observations import render
from tirec.evidence.segments import statistics


def test_statistics_are_those_of_each_segment():
    rng = np.random.default_rng(0)
    rows = pl.DataFrame(
        {
            "evidence_id": np.sort(rng.integers(0, 50, 2000)),
            "row": np.arange(2000),
            "value": rng.normal(80, 10, 2000).astype(np.float32),
            "before_s": rng.integers(0, 9000, 2000),
        }
    ).sort("evidence_id", "before_s", descending=[False, True])
    found = statistics(rows, 70, 90)
    for row in found.iter_rows(named=True):
        part = rows.filter(pl.col("evidence_id") == row["evidence_id"])
        value, hours = part["value"].to_numpy().astype(float), -part["before_s"].to_numpy() / 3600
        assert row["last"] == value[-1] and row["first"] == value[0] and row["count"] == len(value)
        assert row["min"] == value.min() and row["max"] == value.max()
        assert row["row_max"] == part["row"][int(value.argmax())]
        assert row["mean"] == pytest.approx(value.mean()) and row["sd"] == pytest.approx(value.std())
        slope = np.polyfit(hours, value, 1)[0]
        assert row["slope"] == pytest.approx(slope, abs=1e-6)
        assert row["change"] == pytest.approx(slope * (hours[-1] - hours[0]), abs=1e-6)
        assert row["share_abnormal"] == pytest.approx(np.mean((value < 70) | (value > 90)))


def test_no_slope_from_readings_close_together():
    rows = pl.DataFrame({"evidence_id": [1, 1], "row": [1, 2], "value": [80.0, 90.0], "before_s": [299, 0]})
    assert np.isnan(statistics(rows, 0, 1)["slope"][0])


def test_no_readings_no_cases():
    assert statistics(pl.DataFrame(schema={"evidence_id": pl.Int64, "row": pl.Int64, "value": pl.Float64,
                                           "before_s": pl.Int64}), 0, 1).is_empty()  # fmt: skip


def test_complaints_are_counted_on_training_visits_only():
    visits = pl.DataFrame(
        {"csn": range(8), "cc": ["FALL", "fall,COUGH", "COUGH,COUGH", "FALL", "RASH", "RASH", "RASH", None]}
    )
    splits = pl.DataFrame({"csn": range(8), "split": ["train"] * 4 + ["test"] * 4})
    rules = EvidenceConfig(features=FeatureRules(complaint_min_visits=2, complaints=5))
    assert complaint_vocabulary(visits, splits, rules) == ("FALL", "COUGH")
    one = EvidenceConfig(features=FeatureRules(complaint_min_visits=1, complaints=1))
    assert complaint_vocabulary(visits, splits, one) == ("FALL",)


def test_complaints_become_columns():
    records = tables(visits=[visit(cc="CHEST PAIN , fall"), visit(2, 2, cc="CHEST PAIN RADIATING"), visit(3, 3)])
    cases = pl.concat([cutoff(csn, csn, evidence_id=csn) for csn in (1, 2, 3)])
    frame = build(records, cases, ("CHEST PAIN", "FALL"), EvidenceConfig())
    assert frame["triage__complaint_chest_pain"].to_list() == [1, 0, 0]
    assert frame["triage__complaint_fall"].to_list() == [1, 0, 0]


def test_nothing_to_do_is_an_error():
    records, none = tables(visits=[visit()]), cutoff().clear()
    with pytest.raises(EmptyError, match="features"):
        build(records, none, (), EvidenceConfig())
    with pytest.raises(EmptyError, match="observations"):
        render(records, none, EvidenceConfig())
