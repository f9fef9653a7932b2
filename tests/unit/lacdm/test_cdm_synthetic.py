"""The generated folder: same bytes from the same seed, the real data set's shape, planted findings that are there."""

import hashlib
from pathlib import Path

import polars as pl
import pytest
from cdm_folder import small_folder, small_tables, write_folder

from tirec.config.lacdm import CONDITIONS
from tirec.lacdm.masking import has_mask, names
from tirec.lacdm.splits import OFFICIAL
from tirec.lacdm.synthetic.laboratory import items


def digest(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.name.encode() + path.read_bytes() for path in files)).hexdigest()


def truth() -> pl.DataFrame:
    return pl.read_csv(small_folder() / "truth.tsv", separator="\t")


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    first, second = (write_folder(tmp_path / name, cases=40) for name in ("a", "b"))
    other = write_folder(tmp_path / "c", cases=40, seed=1)
    assert digest(first) == digest(second) != digest(other)


def test_conditions_are_dealt_in_the_real_proportions():
    counts = dict(small_tables()["labels"].group_by("condition").len().iter_rows())
    assert sum(counts.values()) == 240
    assert all(abs(counts[name] - OFFICIAL[name] / 10) <= 1 for name in CONDITIONS)


def test_there_are_as_many_laboratory_items_as_in_the_real_data():
    assert len(items()) == len({item.itemid for item in items()}) == 480


def test_availability_and_amounts_are_the_real_ones(tmp_path):
    """Against the shares that were counted in the real data set (within six points)."""
    folder = write_folder(tmp_path / "cdm", cases=2400)
    reports = pl.read_csv(folder / "radiology_reports.csv")
    labels = pl.read_csv(folder / "truth.tsv", separator="\t").select("hadm_id", "condition")
    for modality, shares in {"CT": (0.938, 0.42, 0.914, 0.511), "Ultrasound": (0.235, 0.872, 0.191, 0.729)}.items():
        made = labels.with_columns(
            made=pl.col("hadm_id").is_in(reports.filter(pl.col("modality") == modality)["hadm_id"].implode())
        )
        found = dict(made.group_by("condition").agg(pl.col("made").mean()).iter_rows())
        for condition, share in zip(CONDITIONS, shares, strict=True):
            assert found[condition] == pytest.approx(share, abs=0.06), (modality, condition)
    labs = pl.read_csv(folder / "laboratory_tests.csv", infer_schema=False)
    assert labs["itemid"].n_unique() == 480
    assert 45 <= labs.group_by("hadm_id").len()["len"].median() <= 60


def test_only_the_own_disease_is_masked_and_never_named_in_the_history():
    labels = small_tables()["labels"]
    for table in ("radiology", "history"):
        told = small_tables()[table].join(labels, on="hadm_id")
        own = [condition in names(text) for text, condition in told.select("text", "condition").iter_rows()]
        assert not any(own), table
    reports = small_tables()["radiology"]
    assert any(has_mask(text) for text in reports["text"])
    assert any(names(text) for text in reports["text"])
    assert any(names(text) for text in small_tables()["history"]["text"])


def test_the_planted_findings_are_in_the_record():
    exam = small_tables()["examination"].join(truth(), on="hadm_id")
    tells = exam.filter(pl.col("exam_tells") == 1, pl.col("condition") == "appendicitis")
    assert tells["text"].str.contains("RLQ tender").all()
    silent = exam.filter(pl.col("exam_tells") == 0)
    assert not silent["text"].str.contains("RLQ|RUQ|LLQ|Epigastric").any()
    labs = small_tables()["laboratory"].filter(pl.col("itemid") == 50956).join(truth(), on="hadm_id")
    high = pl.col("value").str.extract(r"^(\d+)").cast(pl.Int64) > 60
    shares = labs.group_by("condition", "labs_tell").agg(share=high.mean())
    told = shares.filter(pl.col("condition") == "pancreatitis").sort("labs_tell")["share"]
    assert told[0] < 0.1
    assert told[1] == 1


def test_absent_keys_blanks_and_several_reports_occur():
    tables = small_tables()
    assert tables["microbiology"]["hadm_id"].n_unique() < 240
    assert tables["target/discharge_procedures"]["hadm_id"].n_unique() < 240
    assert tables["items"]["itemid"].null_count() > 0
    several = tables["radiology"].group_by("hadm_id", "modality", "region").len()
    assert several["len"].max() > 1
    assert (tables["charted"]["hours"] > 24).any()
