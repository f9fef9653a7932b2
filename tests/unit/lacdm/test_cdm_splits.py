"""The published split, patients kept together, nested samples, and availability that says nothing."""

import numpy as np
import polars as pl
import pytest
from cdm_folder import PLAIN, cases_of, small_tables

from tirec.config.lacdm import LacdmConfig
from tirec.errors import ConfigError, DataError
from tirec.lacdm.assemble import sampled
from tirec.lacdm.splits import OFFICIAL, PUBLISHED_SIZES, PUBLISHED_TEST, deal
from tirec.lacdm.thinning import thinned

NOBODY = small_tables()["people"].clear()


def official_labels() -> pl.DataFrame:
    """As many admissions of each condition as version 1.1 has."""
    conditions = [name for name, count in OFFICIAL.items() for _ in range(count)]
    return pl.DataFrame({"hadm_id": range(2400), "condition": conditions, "position": range(2400)})


def test_the_published_split_comes_out_of_the_published_counts():
    cases = deal(official_labels(), NOBODY, PLAIN, real=True)
    assert dict(cases.group_by("split").len().iter_rows()) == PUBLISHED_SIZES
    test = cases.filter(pl.col("split") == "test").group_by("condition").len()
    assert dict(test.iter_rows()) == PUBLISHED_TEST
    assert cases["patient"].equals(cases["hadm_id"].alias("patient"))


def test_other_admissions_cannot_pass_for_the_published_split():
    fewer = official_labels().head(2398)
    with pytest.raises(DataError, match=r"not the admissions of MIMIC-CDM 1\.1.*set lacdm\.split_seed"):
        deal(fewer, NOBODY, PLAIN, real=True)
    assert deal(fewer, NOBODY, PLAIN.model_copy(update={"split_seed": 1}), real=True).height == 2398
    assert deal(fewer, NOBODY, PLAIN).height == 2398


def test_a_patient_split_keeps_patients_together():
    people = pl.DataFrame({"hadm_id": range(2400), "subject_id": [n // 3 for n in range(2400)]})
    people = people.with_columns(age=pl.lit(40, pl.Int32), sex=pl.lit("F"))
    by_patient = LacdmConfig(switches={"split": "patient", "initial": "history"})
    cases = deal(official_labels(), people, by_patient)
    assert cases.group_by("patient").agg(pl.col("split").n_unique())["split"].max() == 1
    shares = cases.group_by("split").len()
    assert {name: round(n / 2400, 1) for name, n in shares.iter_rows()} == {
        "train": 0.8,
        "validation": 0.1,
        "test": 0.1,
    }
    with pytest.raises(ConfigError, match=r"set lacdm\.mimic_iv, or choose admission"):
        deal(official_labels(), NOBODY, by_patient)


def test_samples_are_nested():
    cases = cases_of(small_tables())
    few, more = (sampled(cases, "train", LacdmConfig(sampling={"train": size})) for size in (20, 60))
    assert (few.height, more.height) == (20, 60)
    assert set(few["case_id"]) < set(more["case_id"])
    assert sampled(cases, "train", LacdmConfig()).height == 192


def joint(frame: pl.DataFrame) -> dict[tuple[str, bool, bool], float]:
    """Share of each pattern of the two tests within each condition."""
    counts = frame.group_by("condition", "CT", "US").len()
    sizes = frame.group_by("condition").len("size")
    shares = counts.join(sizes, on="condition").select("condition", "CT", "US", pl.col("len") / pl.col("size"))
    return {(condition, ct, us): share for condition, ct, us, share in shares.iter_rows()}


def test_hidden_availability_is_alike_in_all_conditions_jointly():
    rng = np.random.default_rng(0)
    rates = {"a": (0.9, 0.2), "b": (0.4, 0.9)}
    parts = []
    for condition, (ct, us) in rates.items():
        first = rng.random(20_000) < ct
        second = rng.random(20_000) < np.where(first, us, 1.0)  # dependent: always one of the two
        parts.append(pl.DataFrame({"condition": [condition] * 20_000, "CT": first, "US": second}))
    frame = pl.concat(parts).with_columns(hadm_id=pl.int_range(40_000), split=pl.lit("train"))
    before, after = joint(frame), joint(thinned(frame, ["CT", "US"], 1))
    patterns = {(ct, us) for _, ct, us in after}
    assert max(abs(before.get(("a", *p), 0) - before.get(("b", *p), 0)) for p in patterns) > 0.4
    assert max(abs(after.get(("a", *p), 0) - after.get(("b", *p), 0)) for p in patterns) < 0.02
    left = thinned(frame, ["CT", "US"], 1)
    assert (left["CT"] & ~frame["CT"]).sum() == 0


def test_hiding_withholds_texts_and_adds_none():
    plain, hidden = (
        cases_of(small_tables()),
        cases_of(small_tables(), LacdmConfig(switches={"initial": "history", "unavailable": "hide"})),
    )
    assert hidden["CT"].null_count() > plain["CT"].null_count()
    assert hidden.filter(pl.col("CT").is_not_null())["CT"].is_in(plain["CT"].implode()).all()
    assert (hidden["CT"].is_null() == hidden["rows__CT"].is_null()).all()
