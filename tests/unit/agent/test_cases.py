"""Cases: joined, written once, read back at random without loading the file."""

import polars as pl
import pytest

from tirec.agent.cases import build, open_cases, write
from tirec.errors import DataError

SAMPLED = pl.DataFrame(
    {
        "instance_id": [12, 11, 20, 13],
        "evidence_id": [2, 1, 1, 3],
        "setting": ["1h", "1h", "3d", "1h"],
        "split": ["train", "train", "train", "test"],
        "role": ["train", "train", "train", "test"],
    }
)
INSTANCES = pl.DataFrame(
    {
        "instance_id": [11, 12, 13, 14, 20],
        "task": ["disposition"] * 4 + ["revisit"],
        "setting": ["1h"] * 4 + ["3d"],
        "cutoff_s": [3600] * 4 + [9000],
        "split": ["train", "train", "test", "train", "train"],
        "half": pl.Series([None] * 5, dtype=pl.String),
        "label": pl.Series([1, 0, 1, 0, 1], dtype=pl.Int8),
    }
)
RISK = pl.DataFrame({"instance_id": [11, 12, 13, 20], "p": [0.8, 0.1, 0.5, 0.2]})
REFERENCES = {"disposition": ("labs",), "revisit": ()}


def observations(*ids):
    return pl.DataFrame(
        {
            "evidence_id": ids,
            "initial_view": [f"view {case}" for case in ids],
            "labs": [f"labs {case} µmol" for case in ids],
            "rows__labs": pl.Series([[case, 5] for case in ids], dtype=pl.List(pl.Int64)),
            "rows__labs__orders": pl.Series([[8] if case == 2 else [] for case in ids], dtype=pl.List(pl.Int64)),
            "tokens__labs": pl.Series([3] * len(ids), dtype=pl.Int32),
        }
    )


def built(split="train", **changes):
    parts = {"sampled": SAMPLED, "instances": INSTANCES, "risk": RISK, **changes}
    texts = {"disposition": observations(1, 2, 3), "revisit": observations(1)}
    return build(parts["sampled"], parts["instances"], texts, parts["risk"], REFERENCES, split)


def test_round_trip(tmp_path):
    write(built(), tmp_path / "train.arrow")
    cases = open_cases(tmp_path / "train.arrow")
    assert (len(cases), cases.ids, cases.functions) == (3, [11, 12, 20], ("labs",))
    case = cases[12]
    assert (case.task, case.setting, case.cutoff_s, case.label, case.risk) == ("disposition", "1h", 3600, 0, 0.1)
    assert (case.view, case.texts, case.rows) == ("view 2", {"labs": "labs 2 µmol"}, {"labs": (2, 5)})
    assert (case.reference, case.half) == (("labs",), None)
    assert (case.further_rows["labs"], cases[11].further_rows["labs"]) == ({"orders": (8,)}, {})
    assert cases[20].reference == ()
    assert [case.instance_id for case in cases] == [11, 12, 20]
    assert 13 not in cases
    assert cases.frame.columns == [
        "instance_id",
        "task",
        "setting",
        "cutoff_s",
        "split",
        "half",
        "label",
        "risk",
        "reference",
    ]


def test_equal_cases_give_equal_bytes(tmp_path):
    write(built(), tmp_path / "a.arrow")
    write(built(sampled=SAMPLED.reverse()), tmp_path / "b.arrow")
    assert (tmp_path / "a.arrow").read_bytes() == (tmp_path / "b.arrow").read_bytes()


@pytest.mark.parametrize(
    ("changes", "what"),
    [({"risk": RISK.head(1)}, "teacher risk"), ({"instances": INSTANCES.head(1)}, "instances")],
)
def test_missing_parts_are_named(changes, what):
    with pytest.raises(DataError, match=what):
        list(built(**changes))


def test_missing_observations_are_named():
    with pytest.raises(DataError, match="observations"):
        list(build(SAMPLED, INSTANCES, {"disposition": observations(1)}, RISK, REFERENCES, "train"))


def test_unknown_instances_and_foreign_files(tmp_path):
    write(built(), tmp_path / "train.arrow")
    with pytest.raises(DataError, match="instance 99"):
        open_cases(tmp_path / "train.arrow")[99]
    (tmp_path / "no.arrow").write_text("no")
    with pytest.raises(DataError, match="not a readable file"):
        open_cases(tmp_path / "no.arrow")
